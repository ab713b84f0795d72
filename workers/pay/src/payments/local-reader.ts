import { intentIdSchema } from '@svc/protocol/pay/intents'
import * as z from 'zod'
import type { EntitlementStore } from '../entitlements/store.ts'
import type { PaymentState } from './news.ts'
import type { PaymentReader } from './provider.ts'

const chargeSchema = z.object({
  refunded: z.boolean(),
  metadata: z.object({ intent: intentIdSchema, subscription: z.string().optional() }),
})

/** The embedded provider keeps no state: an event says how its object stands. */
export class LocalReader implements PaymentReader {
  readonly #grants: EntitlementStore

  constructor(grants: EntitlementStore) {
    this.#grants = grants
  }

  async readSubscription(): Promise<null> {
    return null
  }

  async readPayment(paymentId: string, seen: unknown): Promise<PaymentState | null> {
    const charge = chargeSchema.safeParse(seen).data
    if (!charge) return null
    const { intent: intentId, subscription: subscriptionId } = charge.metadata
    const state = { about: 'payment', paymentId, reversed: charge.refunded ? 'refunded' : null } as const
    if (subscriptionId === undefined) return { ...state, paidFor: { intentId } }
    const grant = await this.#grants.find(`subscription:${subscriptionId}`)
    return grant && { ...state, paidFor: { subscriptionId, from: grant.periodStart, until: grant.periodEnd } }
  }
}

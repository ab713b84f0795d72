import {
  type Entitlement,
  entitlementSchema,
  type Grant,
  grantSchema,
  planChangeSchema,
  renewalRequestSchema,
} from '#protocol/pay/entitlements'
import type { Transport } from '../transport/transport.ts'

/** The tier of this identity. */
export class Entitlements {
  readonly #transport: Transport
  readonly #base: string

  constructor(transport: Transport, pay: string) {
    this.#transport = transport
    this.#base = `${pay}/entitlement`
  }

  /** The current tier, its end, and the tier after that. */
  current(): Promise<Entitlement> {
    return this.#transport.data({ method: 'GET', url: this.#base, audience: 'provenance' }, entitlementSchema)
  }

  /** Redeems a code as it was typed, in any case, for this identity. Idempotent: returns the same grant. */
  redeem(code: string): Promise<Grant> {
    const call = { method: 'POST', url: `${this.#base}/redeem`, audience: 'provenance', body: { code } } as const
    return this.#transport.data(call, grantSchema)
  }

  /** Changes the plan of a subscription. A higher tier is charged and given at once, a lower one from the next period. */
  async changePlan(id: string, sku: string): Promise<void> {
    const body = { id, sku }
    const call = { method: 'POST', url: `${this.#base}/change`, audience: 'provenance', body } as const
    await this.#transport.data(call, planChangeSchema)
  }

  /** Cancels a subscription at the end of its period, or resumes it. `id` is that of its grant. */
  async setRenewal(id: string, renews: boolean): Promise<void> {
    const body = { id, renews }
    const call = { method: 'POST', url: `${this.#base}/renewal`, audience: 'provenance', body } as const
    await this.#transport.data(call, renewalRequestSchema)
  }
}

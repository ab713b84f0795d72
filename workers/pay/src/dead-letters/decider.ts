import { paymentEventOf } from '../payments/event.ts'
import type { PaymentService } from '../payments/service.ts'
import type { DeadLetterStore } from './store.ts'

export type Decision = 'done' | 'unknown' | 'not understood'

/** Carries out what the operator decides about a dead letter. */
export class DeadLetterDecider {
  readonly #store: DeadLetterStore
  readonly #payments: PaymentService
  readonly #expectedLive: boolean

  constructor(store: DeadLetterStore, payments: PaymentService, expectedLive: boolean) {
    this.#store = store
    this.#payments = payments
    this.#expectedLive = expectedLive
  }

  async decide(
    { eventId, action }: { readonly eventId: string; readonly action: 'replay' | 'dismiss' },
    now: number,
  ): Promise<Decision> {
    if (action === 'dismiss') return (await this.#store.dismiss(eventId, now)) ? 'done' : 'unknown'
    const payload = await this.#store.payloadOf(eventId)
    if (payload === null) return (await this.#payments.wasApplied(eventId)) ? 'done' : 'unknown'
    const event = paymentEventOf(JSON.parse(payload), this.#expectedLive)
    const outcome = event && (await this.#payments.take(event, now))
    return outcome === 'applied' || outcome === 'no change' || outcome === 'duplicate' ? 'done' : 'not understood'
  }
}

import { ok, type Result } from '@svc/protocol/base/result'
import type { EventOutcome, PaymentService } from './service.ts'
import type { WebhookRefusal, WebhookVerifier } from './webhook-verifier.ts'

/** The only entry for provider events: verified, parsed, applied once. */
export class WebhookService {
  readonly #verifier: WebhookVerifier
  readonly #payments: PaymentService

  constructor(verifier: WebhookVerifier, payments: PaymentService) {
    this.#verifier = verifier
    this.#payments = payments
  }

  async take(
    body: Uint8Array,
    signature: string | null,
    now: number,
  ): Promise<Result<{ outcome: EventOutcome; type: string }, WebhookRefusal>> {
    const event = await this.#verifier.verify(body, signature, now)
    if (!event.ok) return event
    return ok({ outcome: await this.#payments.take(event.value, now), type: event.value.type })
  }

  /** For the embedded provider: signs an event as the provider would, and accepts it as if it came from outside. */
  async deliver(payload: string, now: number): Promise<void> {
    const signature = await this.#verifier.sign(payload, now)
    const taken = await this.take(new TextEncoder().encode(payload), signature, now)
    if (!taken.ok) throw new Error(`the event was not taken: ${taken.error.reason}`)
  }
}

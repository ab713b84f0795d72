import { err, ok, type Result } from '@svc/protocol/result'
import { Stripe } from 'stripe'
import { type PaymentEvent, paymentEventOf } from './payment-event.ts'

/** A signed event is taken for five minutes: a captured one is worthless after it, and repeats are signed anew. */
const TOLERANCE_SECONDS = 300
const cryptoProvider = Stripe.createSubtleCryptoProvider()

export type WebhookRefusal = { readonly reason: 'payments_unavailable' | 'invalid_signature' | 'malformed' }

/** Whether an event comes from the provider, by the secret that is shared with it. Signed bytes are read as they came. */
export class WebhookVerifier {
  readonly #secret: string | undefined
  readonly #expectedLive: boolean

  /** `expectedLive`: whether it is about money. A deployment that tries things out takes no real events, nor the reverse. */
  constructor(secret: string | undefined, expectedLive: boolean) {
    this.#secret = secret
    this.#expectedLive = expectedLive
  }

  async verify(body: Uint8Array, signature: string | null, now: number): Promise<Result<PaymentEvent, WebhookRefusal>> {
    if (!this.#secret) return err({ reason: 'payments_unavailable' })
    let event: unknown
    try {
      event = await Stripe.webhooks.constructEventAsync(
        body,
        signature ?? '',
        this.#secret,
        TOLERANCE_SECONDS,
        cryptoProvider,
        now,
      )
    } catch (error) {
      // Nothing is parsed before its signature is good.
      const isUnsigned = error instanceof Stripe.errors.StripeSignatureVerificationError
      return err({ reason: isUnsigned ? 'invalid_signature' : 'malformed' })
    }
    const read = paymentEventOf(event, this.#expectedLive)
    return read ? ok(read) : err({ reason: 'malformed' })
  }

  /** Signs as the provider does; the embedded one is known by it. */
  async sign(payload: string, now: number): Promise<string> {
    if (!this.#secret) throw new Error('no webhook secret')
    const timestamp = Math.floor(now / 1000)
    return Stripe.webhooks.generateTestHeaderStringAsync({ payload, secret: this.#secret, timestamp, cryptoProvider })
  }
}

import { err, ok, type Result } from '@svc/protocol/base/result'
import { Stripe } from 'stripe'
import { paymentEventOf } from './event.ts'
import type { PaymentEvent } from './news.ts'

/** A signed event is valid for five minutes: a captured one is worthless after that, and repeats are signed again. */
const TOLERANCE_SECONDS = 300
const cryptoProvider = Stripe.createSubtleCryptoProvider()

export type WebhookRefusal = { readonly reason: 'payments_unavailable' | 'invalid_signature' | 'malformed' }

/** Verifies that an event comes from the provider, with the shared secret, over the bytes as received. */
export class WebhookVerifier {
  readonly #secret: string | undefined
  readonly #expectedLive: boolean

  /** `expectedLive`: whether it concerns real money. A test deployment accepts no live events, and vice versa. */
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
      // Nothing is parsed before its signature is verified.
      const isUnsigned = error instanceof Stripe.errors.StripeSignatureVerificationError
      return err({ reason: isUnsigned ? 'invalid_signature' : 'malformed' })
    }
    const read = paymentEventOf(event, this.#expectedLive)
    return read ? ok(read) : err({ reason: 'malformed' })
  }

  /** Signs as the provider does; identifies the embedded provider. */
  async sign(payload: string, now: number): Promise<string> {
    if (!this.#secret) throw new Error('no webhook secret')
    const timestamp = Math.floor(now / 1000)
    return Stripe.webhooks.generateTestHeaderStringAsync({ payload, secret: this.#secret, timestamp, cryptoProvider })
  }
}

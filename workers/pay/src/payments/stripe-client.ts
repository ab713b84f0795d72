import { Stripe } from 'stripe'

/** The payer's client is waiting, so the request must time out. */
const TIMEOUT_MS = 10_000

export interface StripeAccess {
  readonly secretKey: string
  readonly fetch: typeof fetch
}

/** Stripe's own package over `fetch`. */
export function stripeClient({ secretKey, fetch }: StripeAccess): Stripe {
  return new Stripe(secretKey, {
    httpClient: Stripe.createFetchHttpClient(fetch),
    // The caller retries with the same key, and so does this one.
    maxNetworkRetries: 0,
    timeout: TIMEOUT_MS,
    telemetry: false,
  })
}

/** Null if Stripe reports that the object is unknown or in the wrong state; any other failure is thrown. */
export async function unlessRefused<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call
  } catch (error) {
    if (error instanceof Stripe.errors.StripeInvalidRequestError) return null
    throw error
  }
}

/** Null also if the payment is declined. */
export async function unlessDeclined<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await unlessRefused(call)
  } catch (error) {
    if (error instanceof Stripe.errors.StripeCardError) return null
    throw error
  }
}

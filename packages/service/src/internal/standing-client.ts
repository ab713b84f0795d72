import { reaching } from '@svc/protocol/base/dependency-fault'
import { type IssuedCode, type PayInternalApi, type Standing, standingSchema } from '@svc/protocol/internal/pay'
import * as z from 'zod'
import { currentRequestId } from '../app/request-id.ts'

/** A slower pay counts as unavailable, like any sibling. */
const TIMEOUT_MS = 5_000

/**
 * What pay says of an identity's entitlement, by RPC: the props of the binding name the caller. Nothing is cached, so an
 * entitlement that has ended is gone at once. No answer, a late one and one of another shape are a `DependencyFault`.
 */
export class StandingClient {
  readonly #pay: PayInternalApi

  constructor(binding: unknown) {
    this.#pay = binding as PayInternalApi
  }

  async standing(did: string): Promise<Standing> {
    return reaching('pay', async () => standingSchema.parse(await inTime(this.#pay.standing(did, currentRequestId()))))
  }

  /** Null if the identity cannot redeem the code, for whatever reason. */
  async redeem(did: string, codeHash: string): Promise<Standing | null> {
    return reaching('pay', async () =>
      standingSchema.nullable().parse(await inTime(this.#pay.redeem(did, codeHash, currentRequestId()))),
    )
  }

  /** Idempotent per code. After a fault the code may have been issued or not: send the same one again. */
  async issue(code: IssuedCode): Promise<void> {
    await reaching('pay', async () => z.literal(true).parse(await inTime(this.#pay.issue(code, currentRequestId()))))
  }
}

async function inTime<T>(answer: Promise<T>): Promise<T> {
  const late = AbortSignal.timeout(TIMEOUT_MS)
  const { promise, reject } = Promise.withResolvers<never>()
  late.addEventListener('abort', () => reject(late.reason as Error), { once: true })
  return Promise.race([answer, promise])
}

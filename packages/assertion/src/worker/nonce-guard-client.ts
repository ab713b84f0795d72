import type { VerifiedAssertion } from '../verify.ts'
import type { NonceGuard } from './nonce-guard-object.ts'

/** Spends an assertion at the guard of its signing key. */
export class NonceGuardClient {
  readonly #guards: DurableObjectNamespace<NonceGuard>

  constructor(guards: DurableObjectNamespace<NonceGuard>) {
    this.#guards = guards
  }

  /** Returns `unavailable` if the guard cannot be reached; the caller must then refuse the request. */
  async spend(assertion: VerifiedAssertion): Promise<'spent' | 'replay' | 'expired' | 'unavailable'> {
    try {
      return await this.#guards
        .getByName(assertion.signer)
        .spend(assertion.signer, assertion.nonce, assertion.keepUntil)
    } catch {
      return 'unavailable'
    }
  }
}

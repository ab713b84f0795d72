import type { Caller, SpendRefusal, VerifiedAssertion } from '@svc/assertion'
import type { NonceGuardClient } from '@svc/assertion/worker/nonce-guard'
import { keyScopeSchema } from '@svc/protocol/internal'
import { err, ok, type Result } from '@svc/protocol/result'
import type { Gate } from './gate.ts'
import type { InternalClient, InternalFailure } from './internal.ts'

/** Document 1 section 8: the shared verifier accepts five minutes of clock skew. */
const SHARED_SKEW_MS = 300_000

/**
 * How a service other than core spends an assertion: core says whether the key is current, then the guard of that
 * key takes the nonce. In this order, so that a key that core does not know creates nothing.
 */
export class SiblingGate implements Gate {
  readonly skewMs = SHARED_SKEW_MS
  readonly #core: InternalClient
  readonly #guards: NonceGuardClient

  constructor(core: InternalClient, guards: NonceGuardClient) {
    this.#core = core
    this.#guards = guards
  }

  async spend(assertion: VerifiedAssertion): Promise<Result<Caller, SpendRefusal>> {
    const scope = await this.#core.call(
      { method: 'GET', path: `/api/internal/key-scope/${assertion.userId}` },
      keyScopeSchema,
    )
    if (!scope.ok) {
      const reason = standingOf(scope.error)
      return err(reason === 'unavailable' ? { reason, dependency: 'core' } : { reason })
    }
    // An answer about another key is no answer.
    if (scope.value.userId !== assertion.userId || scope.value.publicKeyB64u !== assertion.publicKeyB64u) {
      return err({ reason: 'unavailable', dependency: 'core' })
    }
    const outcome = await this.#guards.spend(assertion)
    switch (outcome) {
      case 'spent':
        return ok(scope.value)
      case 'unavailable':
        return err({ reason: 'unavailable', dependency: 'nonces' })
      case 'replay':
      case 'expired':
        return err({ reason: outcome })
    }
  }
}

/** Only these refusals speak of the key; any other, such as a wrong internal secret, says that core is not there. */
function standingOf(failure: InternalFailure): 'superseded' | 'deactivated' | 'unknown_key' | 'unavailable' {
  if (failure.reason === 'unavailable') return 'unavailable'
  if (failure.error === 'key_superseded') return 'superseded'
  if (failure.error === 'did_deactivated') return 'deactivated'
  return failure.error === 'not_found' ? 'unknown_key' : 'unavailable'
}

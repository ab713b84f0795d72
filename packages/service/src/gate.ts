/**
 * Spending an assertion: the part of authentication that needs storage. Core does it in the identity's own object;
 * the other services ask core about the key and then spend the nonce in a guard of their own.
 *
 * @module
 */
import type { AssertionRefusal, Caller, SpendRefusal, VerifiedAssertion } from '@svc/assertion'
import type { ErrorName } from '@svc/protocol/errors'
import type { Result } from '@svc/protocol/result'
import { ApiError } from './api-error.ts'

export interface Gate {
  readonly skewMs: number
  spend(assertion: VerifiedAssertion, requestId: string): Promise<Result<Caller, SpendRefusal>>
}

/** An assertion on its way to the object that spends it together with the work. */
export class UnspentAssertion {
  readonly #verified: VerifiedAssertion
  #taken = false

  constructor(verified: VerifiedAssertion) {
    this.#verified = verified
  }

  get userId(): string {
    return this.#verified.userId
  }

  get publicKeyB64u(): string {
    return this.#verified.publicKeyB64u
  }

  /** Hands it over for spending. A handler that answers without doing so is stopped by the pipeline. */
  take(): VerifiedAssertion {
    this.#taken = true
    return this.#verified
  }

  get taken(): boolean {
    return this.#taken
  }
}

/** What a service calls its refusals; everything that would teach a prober shares `rejected`. */
export interface RefusalNames {
  readonly missing: ErrorName
  readonly rejected: ErrorName
  readonly audience: ErrorName
  readonly replay: ErrorName
  readonly nonceForm?: (path: string) => { readonly pattern: RegExp; readonly error: ErrorName } | undefined
}

/** The public answer to an assertion that did not verify. */
export function refusalError(refusal: AssertionRefusal, names: RefusalNames, path: string, now: number): ApiError {
  switch (refusal.reason) {
    case 'missing':
      return new ApiError(names.missing, { reason: 'missing' })
    case 'audience':
      return new ApiError(names.audience, { reason: 'audience' })
    case 'nonce_form':
      return new ApiError(names.nonceForm?.(path)?.error ?? names.rejected, { reason: 'nonce_form' })
    case 'device_keys_disabled':
      return new ApiError('device_keys_disabled')
    case 'expired':
      return new ApiError('assertion_expired', { serverTime: now })
    case 'not_yet_valid':
      return new ApiError('assertion_not_yet_valid', { serverTime: now })
    case 'too_long':
      return new ApiError('assertion_too_long')
    case 'malformed':
      return new ApiError(names.rejected, { reason: `malformed: ${refusal.detail}` })
    case 'binding':
      return new ApiError(names.rejected, { reason: `binding: ${refusal.member}` })
    case 'signature':
      return new ApiError(names.rejected, { reason: 'signature' })
  }
}

/** The public answer to an assertion that could not be spent. */
export function spendError(
  refusal: SpendRefusal,
  names: Pick<RefusalNames, 'rejected' | 'replay'>,
  now: number,
): ApiError {
  switch (refusal.reason) {
    case 'unavailable':
      return new ApiError('dependency_unavailable', { reason: `unavailable: ${refusal.dependency}` })
    case 'replay':
      return new ApiError(names.replay, { reason: 'replay' })
    case 'expired':
      return new ApiError('assertion_expired', { serverTime: now })
    case 'unknown_key':
    case 'superseded':
    case 'deactivated':
      return new ApiError(names.rejected, { reason: refusal.reason })
  }
}

/**
 * Spending an assertion: the part of authentication that needs storage. It is done in the object of the
 * identity, which core calls directly and for the other services.
 *
 * @module
 */
import type { AssertionRefusal, Caller, SpendRefusal, VerifiedAssertion } from '@svc/assertion'
import type { Result } from '@svc/protocol/base/result'
import type { ErrorName } from '@svc/protocol/http/errors'
import { ApiError } from '../answer/api-error.ts'

export interface Gate {
  readonly skewMs: number
  /** Whether assertions by device keys are accepted. */
  readonly acceptsDevices: boolean
  /**
   * Whose key it is, before a large body is read for it. Spends nothing. For a mutation, a revocation is seen at once;
   * otherwise perhaps only after a cache expires.
   */
  identify?(assertion: VerifiedAssertion, isMutation: boolean): Promise<Result<Caller, SpendRefusal>>
  /** Checks the key and spends the nonce, in one step that sees a revocation at once. */
  spend(assertion: VerifiedAssertion): Promise<Result<Caller, SpendRefusal>>
}

/** An unspent assertion on its way to the object that spends it together with the work. */
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

  /** Returns it for spending. The pipeline rejects a handler that answers without calling this. */
  take(): VerifiedAssertion {
    this.#taken = true
    return this.#verified
  }

  get taken(): boolean {
    return this.#taken
  }
}

/** The error names of a service; everything that would help a prober shares `rejected`. */
export interface RefusalNames {
  readonly missing: ErrorName
  readonly rejected: ErrorName
  readonly audience: ErrorName
  readonly replay: ErrorName
  readonly nonceForm?: (path: string) => { readonly pattern: RegExp; readonly error: ErrorName } | undefined
}

/** The names that most services use; a service can override them. */
export const REFUSAL_NAMES: RefusalNames = {
  missing: 'unauthorized',
  rejected: 'unauthorized',
  audience: 'wrong_audience',
  replay: 'assertion_replay',
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

const SPEND_REFUSALS: Readonly<Record<SpendRefusal['reason'], true>> = {
  unavailable: true,
  replay: true,
  expired: true,
  capability: true,
  device_keys_disabled: true,
  device_index_unavailable: true,
  attestation_unverifiable: true,
  unknown_key: true,
  superseded: true,
  deactivated: true,
  unknown_device: true,
  device_key: true,
  device_revoked: true,
  device_suspended: true,
  device_expired: true,
  device_scope: true,
  device_user: true,
  device_epoch: true,
  device_origin: true,
  device_capabilities: true,
  device_refused: true,
}

/** Whether a refusal concerns the credential rather than the work. */
export function isSpendRefusal(refusal: { readonly reason: string }): refusal is SpendRefusal {
  return Object.hasOwn(SPEND_REFUSALS, refusal.reason)
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
    case 'capability':
      return new ApiError('capability_required')
    case 'device_keys_disabled':
    case 'device_index_unavailable':
    case 'attestation_unverifiable':
      return new ApiError(refusal.reason)
    case 'unknown_key':
    case 'superseded':
    case 'deactivated':
    case 'unknown_device':
    case 'device_key':
    case 'device_revoked':
    case 'device_suspended':
    case 'device_expired':
    case 'device_scope':
    case 'device_user':
    case 'device_epoch':
    case 'device_origin':
    case 'device_capabilities':
    case 'device_refused':
      return new ApiError(names.rejected, { reason: refusal.reason })
  }
}

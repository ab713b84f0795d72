/**
 * The rules of guardian attestations: which request may be opened, who may attest it, and its status.
 *
 * @module
 */
import {
  type GuardianRequest,
  type GuardianStatus,
  MAX_GUARDIAN_DAYS,
  type SignedGuardianAttestation,
} from '@svc/protocol/keys/guardians'

const DAY_MS = 24 * 3_600_000
const SKEW_MS = 300_000
/** How long a request is kept after it ends. */
export const KEPT_BEYOND_MS = MAX_GUARDIAN_DAYS * DAY_MS

export type RequestRefusal =
  | 'owner_mismatch'
  | 'duplicate_signer'
  | 'threshold_out_of_range'
  | 'statement_expired'
  | 'guardian_self'

/** Whether the caller may open this request. Its signature is checked elsewhere. */
export function requestRefusal(
  { did, scope, guardians, threshold, expiresAt, issuedAt }: GuardianRequest,
  caller: { readonly did: string; readonly scope: string },
  now: number,
): RequestRefusal | null {
  if (did !== caller.did || scope !== caller.scope) return 'owner_mismatch'
  if (new Set(guardians).size !== guardians.length) return 'duplicate_signer'
  // With a threshold of one, a single guardian would decide.
  if (guardians.includes(did)) return 'guardian_self'
  if (threshold > guardians.length) return 'threshold_out_of_range'
  const isTimely = issuedAt <= now + SKEW_MS && expiresAt > now && expiresAt <= now + MAX_GUARDIAN_DAYS * DAY_MS
  return isTimely ? null : 'statement_expired'
}

export type AttestationRefusal = 'owner_mismatch' | 'unknown_signer' | 'attestation_mismatch' | 'guardian_closed'

/** Whether a guardian may attest this request. Its signature is checked elsewhere, duplicates in the store. */
export function attestationRefusal(
  { statement }: SignedGuardianAttestation,
  request: GuardianRequest,
  guardianDid: string,
  now: number,
): AttestationRefusal | null {
  if (statement.guardianDid !== guardianDid) return 'owner_mismatch'
  if (!request.guardians.includes(guardianDid)) return 'unknown_signer'
  if (statement.did !== request.did || statement.subjectHash !== request.subjectHash) return 'attestation_mismatch'
  return now < request.expiresAt ? null : 'guardian_closed'
}

/** A threshold that was reached in time stays reached. */
export function stateOf(request: GuardianRequest, attested: number, now: number): GuardianStatus['state'] {
  if (attested >= request.threshold) return 'met'
  return now < request.expiresAt ? 'pending' : 'expired'
}

/**
 * The law of guardian attestations: which request may be opened, who may attest it, and what it has come to.
 *
 * @module
 */
import {
  type GuardianRequest,
  type GuardianStatus,
  MAX_GUARDIAN_DAYS,
  type SignedGuardianAttestation,
} from '@svc/protocol/guardians'

const DAY_MS = 24 * 3_600_000
const SKEW_MS = 300_000
/** How long a request is kept beyond its end. */
export const KEPT_BEYOND_MS = MAX_GUARDIAN_DAYS * DAY_MS

export type RequestFault =
  | 'owner_mismatch'
  | 'duplicate_signer'
  | 'threshold_out_of_range'
  | 'statement_expired'
  | 'guardian_self'

/** Whether the caller may open this request; its signature is checked elsewhere. */
export function requestFault(
  { did, scope, guardians, threshold, expiresAt, issuedAt }: GuardianRequest,
  caller: { readonly did: string; readonly scope: string },
  now: number,
): RequestFault | null {
  if (did !== caller.did || scope !== caller.scope) return 'owner_mismatch'
  if (new Set(guardians).size !== guardians.length) return 'duplicate_signer'
  // A threshold that one could meet alone would not be one of others.
  if (guardians.includes(did)) return 'guardian_self'
  if (threshold > guardians.length) return 'threshold_out_of_range'
  const isTimely = issuedAt <= now + SKEW_MS && expiresAt > now && expiresAt <= now + MAX_GUARDIAN_DAYS * DAY_MS
  return isTimely ? null : 'statement_expired'
}

export type AttestationFault = 'owner_mismatch' | 'unknown_signer' | 'attestation_mismatch' | 'guardian_closed'

/** Whether a guardian may attest this request; its signature is checked elsewhere, duplicates where they are written. */
export function attestationFault(
  { statement }: SignedGuardianAttestation,
  request: GuardianRequest,
  guardianDid: string,
  now: number,
): AttestationFault | null {
  if (statement.guardianDid !== guardianDid) return 'owner_mismatch'
  if (!request.guardians.includes(guardianDid)) return 'unknown_signer'
  if (statement.did !== request.did || statement.subjectHash !== request.subjectHash) return 'attestation_mismatch'
  return now < request.expiresAt ? null : 'guardian_closed'
}

/** A threshold that was met in time stays met. */
export function stateOf(request: GuardianRequest, attested: number, now: number): GuardianStatus['state'] {
  if (attested >= request.threshold) return 'met'
  return now < request.expiresAt ? 'pending' : 'expired'
}

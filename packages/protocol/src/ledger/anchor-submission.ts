/**
 * Submitting an anchor: what its attestations sign, and how long they may be used.
 *
 * An attestation names the deployment, the owner and its own time, so that one copied from a public anchor authorizes
 * nothing else. All of it can be rebuilt from the record: `issuedAt` is the attestation's `signedAt`.
 *
 * @module
 */
import * as z from 'zod'
import { hashSchema } from '../base/hash.ts'
import { didSchema } from '../base/identity.ts'
import { jcsBytes } from '../base/jcs.ts'
import { HASH_ALG } from '../base/labels.ts'
import { pure } from '../base/pure.ts'
import type { Realms } from '../base/realm.ts'
import type { Result } from '../base/result.ts'
import { statementSchema } from '../base/statement.ts'
import { anchorEpochSchema } from './anchors.ts'
import {
  type AttestationFault,
  attestedAt,
  type BytesAt,
  type GovernanceAttestation,
  governanceAttestationSchema,
  MAX_ATTESTATIONS,
  verifyAttestations,
} from './attestations.ts'

export const submitAnchorSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      root: hashSchema,
      epoch: anchorEpochSchema,
      hashAlg: z.literal(HASH_ALG).optional(),
      attestations: z.array(governanceAttestationSchema).min(1).max(MAX_ATTESTATIONS),
    })
    .meta({
      id: 'SubmitAnchor',
      description: 'Attested by the caller’s current root key, or by policy signers that reach the threshold',
    }),
)

/** What an attestation is about. */
export interface AnchorSubject {
  readonly owner: string
  readonly root: string
  readonly epoch: string
}

/** What an attestation of a submission signs. It is never sent: both sides rebuild it. */
export const anchorSubmissionSchema = /* @__PURE__ */ pure(() =>
  statementSchema('svc/anchor-submission/v1', {
    owner: didSchema,
    root: hashSchema,
    epoch: anchorEpochSchema,
    hashAlg: z.literal(HASH_ALG),
  }).meta({ id: 'AnchorSubmission' }),
)

/** What an attestation is about. */
export interface AnchorSubject {
  readonly owner: string
  readonly root: string
  readonly epoch: string
}

/** The bytes that an attestation of a submission signs. */
export function submissionBytes({ owner, root, epoch }: AnchorSubject, realm: string, issuedAt: number): Uint8Array {
  return jcsBytes({ type: 'svc/anchor-submission/v1', realm, owner, root, epoch, hashAlg: HASH_ALG, issuedAt })
}

/** The same for each realm: while a deployment moves, it accepts more than its own. */
export function submissionsIn(realms: Realms, subject: AnchorSubject): readonly BytesAt[] {
  return realms.map((realm) => (issuedAt) => submissionBytes(subject, realm, issuedAt))
}

/** The signers of a policy need time to collect their attestations. A submission that they abandon is void after a day. */
export const MAX_SUBMISSION_AGE_MS = 24 * 3_600_000
/** How far a signer's clock may be ahead. */
const MAX_AHEAD_MS = 300_000

/** Whether every attestation was made within the last day. One without a time is of no use anyway. */
export function isSubmissionFresh(attestations: readonly GovernanceAttestation[], now: number): boolean {
  return attestations.every((attestation) => {
    const age = now - (attestedAt(attestation) ?? now)
    return age <= MAX_SUBMISSION_AGE_MS && age >= -MAX_AHEAD_MS
  })
}

/** Verifies the attestations of a record and returns the signers’ userIds. Who had to sign is not in the record. */
export function verifySubmission(
  record: AnchorSubject & { readonly attestations: readonly GovernanceAttestation[] },
  realms: Realms,
): Promise<Result<string[], AttestationFault>> {
  return verifyAttestations(record.attestations, submissionsIn(realms, record))
}

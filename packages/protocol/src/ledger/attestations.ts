/**
 * Attestations: signatures beside the keys that made them, over one act of a policy, an anchor or an asset
 * (workers/docs/pages/developer/governance.md).
 *
 * @module
 */
import * as z from 'zod'
import { mlDsa65 } from '#pqc'
import { decodeBase64url } from '../base/base64url.ts'
import { userIdOfKey } from '../base/identity.ts'
import { PUBLIC_KEY_BYTES, SIGNATURE_ALG, SIGNATURE_BYTES } from '../base/labels.ts'
import { pure } from '../base/pure.ts'
import { err, ok, type Result } from '../base/result.ts'
import { dateTimeSchema, timeOfDateTime } from '../http/date-time.ts'

export const MAX_ATTESTATIONS = 64
/** Sixty-four attestations of 7 kB. */
export const MAX_ATTESTED_BYTES = 512 * 1024

/** Checks lengths and characters only; `verifyAttestations` checks that they are a key and a signature. */
export const governanceAttestationSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      alg: z.literal(SIGNATURE_ALG),
      publicKeyB64u: z
        .string()
        .min(1)
        .max(4096)
        .regex(/^[A-Za-z0-9_-]+$/, 'must be base64url without padding'),
      signatureB64u: z
        .string()
        .min(1)
        .max(8192)
        .regex(/^[A-Za-z0-9_-]+$/, 'must be base64url without padding'),
      signedAt: dateTimeSchema.optional().meta({ description: 'The signer’s claim' }),
    })
    .meta({ id: 'GovernanceAttestation', description: 'One signature and the key that made it' }),
)
export type GovernanceAttestation = z.infer<typeof governanceAttestationSchema>

export type AttestationFault = {
  readonly reason: 'duplicate_signer' | 'unknown_signer' | 'invalid_signature' | 'threshold_not_met'
}

/** What is signed at a time. */
export type BytesAt = (issuedAt: number) => Uint8Array

/**
 * What attestations sign: the same bytes for all, or bytes that carry the time of each. That time, `issuedAt` in epoch
 * milliseconds, is the attestation’s `signedAt`, so the bytes can be rebuilt from a record. Of several, each attestation
 * signs one: there is one for each realm that the verifier accepts.
 */
export type AttestedBytes = Uint8Array | BytesAt | readonly BytesAt[]

/** The time that an attestation signs; null if it names none, or one before 1970. */
export function attestedAt({ signedAt }: GovernanceAttestation): number | null {
  const time = timeOfDateTime(signedAt ?? '')
  return time !== null && time >= 0 ? time : null
}

function bytesOf(attestation: GovernanceAttestation, attested: AttestedBytes): readonly Uint8Array[] {
  if (attested instanceof Uint8Array) return [attested]
  const issuedAt = attestedAt(attestation)
  if (issuedAt === null) return []
  return (typeof attested === 'function' ? [attested] : attested).map((bytesAt) => bytesAt(issuedAt))
}

/** Verifies the attestations over these bytes and returns the signers’ userIds. Each key may sign once. */
export async function verifyAttestations(
  attestations: readonly GovernanceAttestation[],
  attested: AttestedBytes,
): Promise<Result<string[], AttestationFault>> {
  const signers = new Set<string>()
  for (const attestation of attestations) {
    const { publicKeyB64u, signatureB64u } = attestation
    const publicKey = decodeBase64url(publicKeyB64u)
    const signature = decodeBase64url(signatureB64u)
    if (publicKey?.length !== PUBLIC_KEY_BYTES || signature?.length !== SIGNATURE_BYTES)
      return err({ reason: 'invalid_signature' })
    const userId = userIdOfKey(publicKeyB64u)
    if (signers.has(userId)) return err({ reason: 'duplicate_signer' })
    signers.add(userId)
    let isSigned = false
    for (const bytes of bytesOf(attestation, attested)) isSigned ||= await mlDsa65.verify(publicKey, bytes, signature)
    if (!isSigned) return err({ reason: 'invalid_signature' })
  }
  return ok([...signers])
}

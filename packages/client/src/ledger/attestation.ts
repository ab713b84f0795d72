import { encodeBase64url } from '#protocol/base/base64url'
import type { BytesAt, GovernanceAttestation } from '#protocol/ledger/attestations'
import type { Identity } from '../identity/identity.ts'
import { signerOf } from '../identity/signing-key.ts'

/** A root key's signature over bytes that carry the time, which the attestation names as `signedAt`. */
export async function attestationBy(signer: Identity, bytesAt: BytesAt, now: number): Promise<GovernanceAttestation> {
  return {
    alg: 'ml-dsa-65',
    publicKeyB64u: signer.publicKeyB64u,
    signatureB64u: encodeBase64url(await signerOf(signer, 'attestation')(bytesAt(now))),
    signedAt: new Date(now).toISOString(),
  }
}

import { encodeBase64url } from '@svc/protocol/base64url'
import type { GovernanceAttestation } from '@svc/protocol/governance'
import type { Identity } from './identity.ts'

/** What a root key says of bytes that others sign too: a policy, a submission to a log, what happens to an asset. */
export async function attestationBy(signer: Identity, bytes: Uint8Array, now?: number): Promise<GovernanceAttestation> {
  return {
    alg: 'ml-dsa-65',
    publicKeyB64u: signer.publicKeyB64u,
    signatureB64u: encodeBase64url(await signer.sign(bytes)),
    ...(now === undefined ? {} : { signedAt: new Date(now).toISOString() }),
  }
}

/** Signs requests to rotate with the root key, with its successor, or with both. */
import { encodeBase64url } from '#protocol/base/base64url'
import { signStatement } from '#protocol/base/statement'
import { type Commitment, NO_COMMITMENT } from '#protocol/chain/commitment'
import type { Placed } from '../identity/signing.ts'
import { signerOf } from '../identity/signing-key.ts'
import type { KeptRecovery, KeptRequest } from './kept-recovery.ts'

interface Signer {
  readonly did: string
  readonly scope: string
  readonly epoch: number
  readonly publicKeyB64u: string
}

export interface RotationTerms extends Placed {
  readonly version: 1 | 2
  /** Commitment to the successors of the new key. Default: none, so that it can name any key. */
  readonly commitment?: Commitment
}

type RotationType = 'svc/rotation-request/v1' | 'svc/rotation-rehearsal/v1'

/** Builds the statement. `opening` has the epoch that the new key opens. */
function rotationOf<T extends RotationType>(
  type: T,
  opening: { readonly did: string; readonly scope: string; readonly epoch: number; readonly newPublicKeyB64u: string },
  { version, commitment = NO_COMMITMENT, realm, inception, issuedAt }: RotationTerms,
) {
  const { did, scope, epoch, newPublicKeyB64u } = opening
  const nonce = encodeBase64url(crypto.getRandomValues(new Uint8Array(18)))
  const { next, replaceable } = commitment
  const named = { version, epoch, newPublicKeyB64u, next: [...next], replaceable }
  return { type, realm, did, scope, ...named, nonce, inception, issuedAt }
}

/** Signs a rotation, or a rehearsal of one, with the root key and its successor. */
export async function signRotation<T extends RotationType>(
  type: T,
  { root, successor }: { readonly root: Signer; readonly successor: Signer },
  terms: RotationTerms,
) {
  const { did, scope, epoch } = successor
  if (scope !== root.scope || epoch !== root.epoch + 1) {
    throw new TypeError('The successor belongs to another identity: create it with `identity.successor()`')
  }
  const statement = rotationOf(type, { did, scope, epoch, newPublicKeyB64u: successor.publicKeyB64u }, terms)
  const byRoot = await signStatement(statement, signerOf(root))
  const byNewKey = await signStatement(statement, signerOf(successor))
  return { ...byRoot, newKeySignatureB64u: byNewKey.signatureB64u }
}

type AllVersions = Omit<RotationTerms, 'version'> & { readonly versions: readonly (1 | 2)[] }

/** Signs requests for one new key with the root key and the new key. */
export async function signRecovery(
  keys: { readonly root: Signer; readonly successor: Signer },
  { versions, ...signing }: AllVersions,
): Promise<KeptRecovery> {
  const requests: KeptRequest[] = []
  for (const version of versions) {
    requests.push(await signRotation('svc/rotation-request/v1', keys, { version, ...signing }))
  }
  const { did, scope, epoch } = keys.successor
  return { format: 'svc/recovery/v1', did, scope, epoch, requests }
}

/**
 * Signs requests for each successor with the root key alone. This needs no words, and the requests are useless to a thief
 * without words.
 */
export async function signAhead(
  root: Signer,
  publicKeys: readonly string[],
  { versions, ...signing }: AllVersions,
): Promise<KeptRecovery> {
  const opening = { ...nameOf(root), epoch: root.epoch + 1 }
  const requests: KeptRequest[] = []
  for (const newPublicKeyB64u of publicKeys) {
    for (const version of versions) {
      const statement = rotationOf('svc/rotation-request/v1', { ...opening, newPublicKeyB64u }, { version, ...signing })
      requests.push({ ...(await signStatement(statement, signerOf(root))), newKeySignatureB64u: null })
    }
  }
  return { format: 'svc/recovery/v1', ...opening, requests }
}

/** Signs requests with a committed key alone, for an owner who has its words but no recovery file. */
export async function signAlone(successor: Signer, { versions, ...signing }: AllVersions): Promise<KeptRecovery> {
  const opening = { ...nameOf(successor), epoch: successor.epoch }
  const newPublicKeyB64u = successor.publicKeyB64u
  const requests: KeptRequest[] = []
  for (const version of versions) {
    const statement = rotationOf('svc/rotation-request/v1', { ...opening, newPublicKeyB64u }, { version, ...signing })
    const { signatureB64u: newKeySignatureB64u } = await signStatement(statement, signerOf(successor))
    requests.push({ statement, signatureB64u: null, newKeySignatureB64u })
  }
  return { format: 'svc/recovery/v1', ...opening, requests }
}

function nameOf({ did, scope }: Signer) {
  return { did, scope }
}

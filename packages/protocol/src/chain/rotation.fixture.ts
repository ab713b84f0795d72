/** Rotations for tests: root keys of one identity from fixed seeds, and requests from each to the next. */

import { REALM } from '../../test/realm.fixture.ts'
import { signStatement } from '../base/statement.ts'
import { genesisOf, type Signer, signedBy, signerOf } from './chain.fixture.ts'
import type { GenesisBlock } from './chain.ts'
import { type Commitment, commitmentHash, NO_COMMITMENT, successorHash } from './commitment.ts'
import type { GenesisEvidence } from './genesis.ts'
import type { SignedRotationRequest } from './rotation.ts'

/** The genesis key of the identity in every request. */
export const alice = await signerOf(1)
export const second = await signerOf(2)
export const third = await signerOf(3)
/** A key that is not one of Alice's. */
export const mallory = await signerOf(9)

export interface Changes {
  readonly statement?: object
  readonly byNewKey?: Signer
}

/** A request to rotate Alice's identity from `root` to `next`, with optional changes to members and signers. */
export async function requested(
  root: Signer,
  next: Signer,
  epoch: number,
  changes: Changes = {},
): Promise<SignedRotationRequest & { readonly signatureB64u: string }> {
  const statement = {
    type: 'svc/rotation-request/v1' as const,
    realm: REALM,
    did: alice.did,
    scope: alice.scope,
    version: 2 as const,
    epoch,
    newPublicKeyB64u: next.ownerPublicKey,
    next: [],
    replaceable: false,
    nonce: 'nonce-of-a-rotation',
    inception: null,
    issuedAt: 1_790_000_000_000,
    ...changes.statement,
  }
  const byRoot = await signStatement(statement, root.sign)
  const byNewKey = await signStatement(statement, (changes.byNewKey ?? next).sign)
  return { ...byRoot, newKeySignatureB64u: byNewKey.signatureB64u }
}

/** A genesis block that commits to keys, as it is shown. */
export async function genesisOfKeys(root: Signer, commitment: Commitment = NO_COMMITMENT): Promise<GenesisEvidence> {
  const block = await signedBy(root, await genesisOf(root), { metadataHash: commitmentHash(commitment) })
  return { block: block as GenesisBlock, commitment: commitment.next.length > 0 ? commitment : null }
}

/** A commitment to keys. */
export function committing(...keys: readonly Signer[]): Commitment {
  return { next: keys.map(({ ownerPublicKey }) => successorHash(ownerPublicKey)), replaceable: false }
}

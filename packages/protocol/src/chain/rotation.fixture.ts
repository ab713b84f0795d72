/** Rotations for tests: root keys of one identity from fixed seeds, and requests from each to the next. */

import { REALM } from '../../test/realm.fixture.ts'
import { signStatement } from '../base/statement.ts'
import { type Signer, signerOf } from './chain.fixture.ts'
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
): Promise<SignedRotationRequest> {
  const statement = {
    type: 'svc/rotation-request/v1' as const,
    realm: REALM,
    did: alice.did,
    scope: alice.scope,
    version: 2 as const,
    epoch,
    newPublicKeyB64u: next.ownerPublicKey,
    nonce: 'nonce-of-a-rotation',
    issuedAt: 1_790_000_000_000,
    ...changes.statement,
  }
  const byRoot = await signStatement(statement, root.sign)
  const byNewKey = await signStatement(statement, (changes.byNewKey ?? next).sign)
  return { ...byRoot, newKeySignatureB64u: byNewKey.signatureB64u }
}

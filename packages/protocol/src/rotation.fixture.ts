/** Rotations for tests: the root keys of one identity, by fixed seeds, and requests that hand it from one to the next. */
import { type Signer, signerOf } from './chain.fixture.ts'
import type { SignedRotationRequest } from './rotation.ts'
import { signStatement } from './statement.ts'

/** The genesis key of the identity that every request is about. */
export const alice = await signerOf(1)
export const second = await signerOf(2)
export const third = await signerOf(3)
/** A key that is none of hers. */
export const mallory = await signerOf(9)

export interface Changes {
  readonly statement?: object
  readonly byNewKey?: Signer
}

/** A request of alice's identity by `root`, for `next`; members and signers may be others. */
export async function requested(
  root: Signer,
  next: Signer,
  epoch: number,
  changes: Changes = {},
): Promise<SignedRotationRequest> {
  const statement = {
    type: 'svc/rotation-request/v1' as const,
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

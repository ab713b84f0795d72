import { commitmentHash, commitmentIdOf } from '@svc/protocol/provenance/commitments'
import { alice } from './sides.ts'

/** The commitment of Alice to some content, as provenance answers it. */
export function commitmentOf(salt: Uint8Array, content: Uint8Array, at: number) {
  const hash = commitmentHash(salt, content)
  return {
    id: commitmentIdOf(alice.did, hash),
    commitment_hash: hash,
    algorithm: 'sha3-384',
    did: alice.did,
    created_at_ms: at,
    profile: 'native',
    verification: { verifiable: true, rule: 'r', reason: null },
  }
}

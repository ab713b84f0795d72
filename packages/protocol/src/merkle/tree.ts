/** The Merkle trees of the platform's logs: those of `merkle/hash-tree` with SHA3-384. */
import { sha3_384 } from '#pqc/sha3'
import { merkleTreeOf } from './hash-tree.ts'

export const SHA3_384_TREE = /* @__PURE__ */ merkleTreeOf(sha3_384)
export const { leafHash, nodeHash, merkleRoot, inclusionProof, verifyInclusion, consistencyProof, verifyConsistency } =
  SHA3_384_TREE

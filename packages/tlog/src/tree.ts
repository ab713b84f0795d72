/** The Merkle tree of C2SP's logs: RFC 6962 with SHA-256. */
import { sha256 } from '@noble/hashes/sha2.js'
import { merkleTreeOf } from '#protocol/merkle/hash-tree'

export const SHA256_TREE = /* @__PURE__ */ merkleTreeOf(sha256)

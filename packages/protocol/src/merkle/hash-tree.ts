/**
 * Merkle trees of RFC 9162 section 2.1, which are those of RFC 6962, over any hash: leaf H(0x00 ‖ data), node
 * H(0x01 ‖ left ‖ right), empty tree H(""). The prefixes prevent a node from being passed off as a leaf.
 *
 * All functions work on leaf hashes, so a log does not have to keep the data.
 *
 * @module
 */

import { equalBytes } from '../base/bytes.ts'

type Hash = Uint8Array

export interface MerkleTree {
  readonly leafHash: (data: Uint8Array) => Hash
  readonly nodeHash: (left: Hash, right: Hash) => Hash
  /** MTH of section 2.1.1. */
  readonly merkleRoot: (leaves: readonly Hash[]) => Hash
  /** PATH(m, D) of section 2.1.3.1: the audit path of leaf `index`, lowest sibling first. */
  readonly inclusionProof: (leaves: readonly Hash[], index: number) => Hash[]
  /** Section 2.1.3.2: whether `leaf` is at `index` in the tree of `size` leaves with this root. */
  readonly verifyInclusion: (leaf: Hash, index: number, size: number, proof: readonly Hash[], root: Hash) => boolean
  /** PROOF(m, D) of section 2.1.4.1, which shows that the tree of the first `size` leaves is a prefix of this one. */
  readonly consistencyProof: (leaves: readonly Hash[], size: number) => Hash[]
  /** Section 2.1.4.2: whether the tree of `second` leaves extends the tree of `first` leaves. */
  readonly verifyConsistency: (
    first: number,
    firstRoot: Hash,
    second: number,
    secondRoot: Hash,
    proof: readonly Hash[],
  ) => boolean
}

export function merkleTreeOf(hash: (data: Uint8Array) => Hash): MerkleTree {
  const leafHash = (data: Uint8Array) => hash(prefixed(0, data))
  const nodeHash = (left: Hash, right: Hash) => hash(prefixed(1, left, right))

  function merkleRoot(leaves: readonly Hash[]): Hash {
    if (leaves.length === 0) return hash(new Uint8Array())
    let level = leaves
    // An odd last node moves up unchanged, which yields the same tree as the recursive definition.
    while (level.length > 1) {
      const next: Hash[] = []
      for (let i = 0; i + 1 < level.length; i += 2) next.push(nodeHash(level[i]!, level[i + 1]!))
      if (level.length % 2 === 1) next.push(level[level.length - 1]!)
      level = next
    }
    return level[0]!
  }

  function inclusionProof(leaves: readonly Hash[], index: number): Hash[] {
    const n = leaves.length
    if (!Number.isInteger(index) || index < 0 || index >= n) throw new RangeError('inclusionProof: no such leaf')
    if (n === 1) return []
    const k = splitOf(n)
    return index < k
      ? [...inclusionProof(leaves.slice(0, k), index), merkleRoot(leaves.slice(k))]
      : [...inclusionProof(leaves.slice(k), index - k), merkleRoot(leaves.slice(0, k))]
  }

  function verifyInclusion(leaf: Hash, index: number, size: number, proof: readonly Hash[], root: Hash): boolean {
    if (!Number.isSafeInteger(index) || !Number.isSafeInteger(size) || index < 0 || index >= size) return false
    let fn = index
    let sn = size - 1
    let r = leaf
    for (const p of proof) {
      if (sn === 0) return false
      if (fn % 2 === 1 || fn === sn) {
        r = nodeHash(p, r)
        while (fn % 2 === 0 && fn !== 0) {
          fn = Math.floor(fn / 2)
          sn = Math.floor(sn / 2)
        }
      } else {
        r = nodeHash(r, p)
      }
      fn = Math.floor(fn / 2)
      sn = Math.floor(sn / 2)
    }
    return sn === 0 && equalBytes(r, root)
  }

  function consistencyProof(leaves: readonly Hash[], size: number): Hash[] {
    if (!Number.isInteger(size) || size < 1 || size > leaves.length)
      throw new RangeError('consistencyProof: no such size')
    return subproof(leaves, size, true)
  }

  function subproof(leaves: readonly Hash[], m: number, whole: boolean): Hash[] {
    const n = leaves.length
    if (m === n) return whole ? [] : [merkleRoot(leaves)]
    const k = splitOf(n)
    return m <= k
      ? [...subproof(leaves.slice(0, k), m, whole), merkleRoot(leaves.slice(k))]
      : [...subproof(leaves.slice(k), m - k, false), merkleRoot(leaves.slice(0, k))]
  }

  function verifyConsistency(
    first: number,
    firstRoot: Hash,
    second: number,
    secondRoot: Hash,
    proof: readonly Hash[],
  ): boolean {
    if (!Number.isSafeInteger(first) || !Number.isSafeInteger(second) || first < 1 || first > second) return false
    if (first === second) return proof.length === 0 && equalBytes(firstRoot, secondRoot)
    const path = isPowerOfTwo(first) ? [firstRoot, ...proof] : [...proof]
    const start = path.shift()
    if (!start) return false
    let fn = first - 1
    let sn = second - 1
    while (fn % 2 === 1) {
      fn = Math.floor(fn / 2)
      sn = Math.floor(sn / 2)
    }
    let fr = start
    let sr = start
    for (const c of path) {
      if (sn === 0) return false
      if (fn % 2 === 1 || fn === sn) {
        fr = nodeHash(c, fr)
        sr = nodeHash(c, sr)
        while (fn % 2 === 0 && fn !== 0) {
          fn = Math.floor(fn / 2)
          sn = Math.floor(sn / 2)
        }
      } else {
        sr = nodeHash(sr, c)
      }
      fn = Math.floor(fn / 2)
      sn = Math.floor(sn / 2)
    }
    return sn === 0 && equalBytes(fr, firstRoot) && equalBytes(sr, secondRoot)
  }

  return { leafHash, nodeHash, merkleRoot, inclusionProof, verifyInclusion, consistencyProof, verifyConsistency }
}

/** The largest power of two smaller than n (n ≥ 2): where RFC 9162 splits a tree. */
export function splitOf(n: number): number {
  const power = 2 ** Math.floor(Math.log2(n - 1))
  // From 2^48 on, the logarithm of a number just below a power of two is rounded up to it.
  return power < n ? power : power / 2
}

function isPowerOfTwo(n: number): boolean {
  return 2 ** Math.round(Math.log2(n)) === n
}

function prefixed(prefix: number, ...parts: Uint8Array[]): Uint8Array {
  const out = new Uint8Array(1 + parts.reduce((length, part) => length + part.length, 0))
  out[0] = prefix
  let offset = 1
  for (const part of parts) {
    out.set(part, offset)
    offset += part.length
  }
  return out
}

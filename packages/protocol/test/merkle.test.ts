/** Trees against RFC 9162 section 2.1 as specified: recursive, over data, with OpenSSL's SHA3-384. */
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  consistencyProof,
  inclusionProof,
  leafHash,
  merkleRoot,
  nodeHash,
  verifyConsistency,
  verifyInclusion,
} from '../src/merkle/tree.ts'

function H(...parts: Uint8Array[]): Uint8Array {
  const hash = createHash('sha3-384')
  for (const part of parts) hash.update(part)
  return new Uint8Array(hash.digest())
}

const ZERO = new Uint8Array([0])
const ONE = new Uint8Array([1])

function k(n: number): number {
  let power = 1
  while (power * 2 < n) power *= 2
  return power
}

function mth(d: Uint8Array[]): Uint8Array {
  const n = d.length
  if (n === 0) return H()
  if (n === 1) return H(ZERO, d[0]!)
  return H(ONE, mth(d.slice(0, k(n))), mth(d.slice(k(n))))
}

function path(m: number, d: Uint8Array[]): Uint8Array[] {
  const n = d.length
  if (n === 1) return []
  if (m < k(n)) return [...path(m, d.slice(0, k(n))), mth(d.slice(k(n)))]
  return [...path(m - k(n), d.slice(k(n))), mth(d.slice(0, k(n)))]
}

function subproof(m: number, d: Uint8Array[], b: boolean): Uint8Array[] {
  const n = d.length
  if (m === n) return b ? [] : [mth(d)]
  if (m <= k(n)) return [...subproof(m, d.slice(0, k(n)), b), mth(d.slice(k(n)))]
  return [...subproof(m - k(n), d.slice(k(n)), false), mth(d.slice(0, k(n)))]
}

const MAX = 40
const data = Array.from({ length: MAX }, (_, i) => new TextEncoder().encode(`entry ${i}`))
const leaves = data.map(leafHash)
const roots = Array.from({ length: MAX + 1 }, (_, size) => mth(data.slice(0, size)))
const sizes = Array.from({ length: MAX }, (_, i) => i + 1)

const flip = (hash: Uint8Array, bit: number) => hash.with(bit >> 3, hash[bit >> 3]! ^ (1 << (bit & 7)))

/** Every variant of a proof with a bit flipped, an element dropped, duplicated or added, or two swapped. */
function spoiled(proof: Uint8Array[], seed: number): Uint8Array[][] {
  const each = proof.flatMap((hash, i) => [
    proof.with(i, flip(hash, (seed * 31 + i * 7) % 384)),
    proof.toSpliced(i, 1),
    proof.toSpliced(i, 0, hash),
  ])
  const swapped = proof.length > 1 ? [proof.with(0, proof[1]!).with(1, proof[0]!)] : []
  return [...each, ...swapped, [...proof, H(ONE)], [H(ONE), ...proof]]
}

describe('hashes', () => {
  it('keep leaves and nodes apart by their prefix', () => {
    const [left, right] = [leaves[0]!, leaves[1]!]
    expect(leafHash(data[0]!)).toEqual(H(ZERO, data[0]!))
    expect(nodeHash(left, right)).toEqual(H(ONE, left, right))
    expect(leafHash(new Uint8Array([...left, ...right]))).not.toEqual(nodeHash(left, right))
    expect(nodeHash(left, right)).not.toEqual(nodeHash(right, left))
  })
})

describe('merkleRoot', () => {
  it.each([0, ...sizes])('of %i leaves matches RFC 9162', (size) => {
    expect(merkleRoot(leaves.slice(0, size))).toEqual(roots[size])
  })

  it('does not modify its leaves', () => {
    const given = leaves.slice(0, 7)
    merkleRoot(given)
    expect(given).toEqual(leaves.slice(0, 7))
  })
})

describe.each(sizes)('inclusion in a tree of %i leaves', (size) => {
  const tree = leaves.slice(0, size)
  const root = roots[size]!

  it('has the proofs of RFC 9162, and each verifies', () => {
    for (const [index, leaf] of tree.entries()) {
      const proof = inclusionProof(tree, index)
      expect(proof).toEqual(path(index, data.slice(0, size)))
      expect(verifyInclusion(leaf, index, size, proof, root)).toBe(true)
    }
  })

  it('refuses a corrupted proof, another leaf and another root', () => {
    for (const [index, leaf] of tree.entries()) {
      const proof = inclusionProof(tree, index)
      expect(spoiled(proof, index).filter((other) => verifyInclusion(leaf, index, size, other, root))).toEqual([])
      expect(verifyInclusion(flip(leaf, index), index, size, proof, root)).toBe(false)
      expect(verifyInclusion(leaf, index, size, proof, flip(root, index))).toBe(false)
      expect(verifyInclusion(leaf, index, size, proof, root.subarray(1))).toBe(false)
    }
  })

  it('refuses every other index', () => {
    for (const [index, leaf] of tree.entries()) {
      const proof = inclusionProof(tree, index)
      const indexes = [...tree.keys(), size, -1, index + 0.5, Number.NaN]
      expect(indexes.filter((other) => verifyInclusion(leaf, other, size, proof, root))).toEqual([index])
    }
  })

  it('refuses a size that does not fit the proof’s length', () => {
    for (const [index, leaf] of tree.entries()) {
      const proof = inclusionProof(tree, index)
      for (const other of [index, 0, -1, size * 4 + 1, size + 0.5, Number.NaN]) {
        expect(verifyInclusion(leaf, index, other, proof, root)).toBe(false)
      }
    }
  })
})

describe('inclusionProof', () => {
  it.each([-1, 3, 1.5, Number.NaN])('refuses index %d of three leaves', (index) => {
    expect(() => inclusionProof(leaves.slice(0, 3), index)).toThrow(new RangeError('inclusionProof: no such leaf'))
  })

  it('refuses an empty tree', () => {
    expect(() => inclusionProof([], 0)).toThrow(RangeError)
    expect(verifyInclusion(leaves[0]!, 0, 0, [], roots[0]!)).toBe(false)
  })
})

describe.each(sizes)('consistency with a tree of %i leaves', (second) => {
  const tree = leaves.slice(0, second)
  const root = roots[second]!

  it('has the proofs of RFC 9162, and each verifies', () => {
    for (let first = 1; first <= second; first++) {
      const proof = consistencyProof(tree, first)
      expect(proof).toEqual(subproof(first, data.slice(0, second), true))
      expect(verifyConsistency(first, roots[first]!, second, root, proof)).toBe(true)
    }
  })

  it('refuses a corrupted proof and other roots', () => {
    for (let first = 1; first <= second; first++) {
      const proof = consistencyProof(tree, first)
      const old = roots[first]!
      expect(spoiled(proof, first).filter((other) => verifyConsistency(first, old, second, root, other))).toEqual([])
      expect(verifyConsistency(first, flip(old, first), second, root, proof)).toBe(false)
      expect(verifyConsistency(first, old, second, flip(root, first), proof)).toBe(false)
    }
  })

  it('refuses a second size that does not fit the proof’s length', () => {
    for (let first = 1; first <= second; first++) {
      const proof = consistencyProof(tree, first)
      const others = [first - 1, second * 4 + 1, second + 0.5, Number.NaN, -second]
      expect(others.filter((other) => verifyConsistency(first, roots[first]!, other, root, proof))).toEqual([])
    }
  })

  it('refuses the root of every other size', () => {
    for (let first = 1; first <= second; first++) {
      const proof = consistencyProof(tree, first)
      const others = roots.slice(0, second + 1)
      expect(others.filter((other) => verifyConsistency(first, other, second, root, proof))).toEqual([roots[first]])
    }
  })
})

describe('consistencyProof', () => {
  it.each([0, -1, 4, 1.5, Number.NaN])('refuses size %d before three leaves', (size) => {
    expect(() => consistencyProof(leaves.slice(0, 3), size)).toThrow(new RangeError('consistencyProof: no such size'))
  })

  it('proves nothing for an empty, longer or fractional first tree', () => {
    const proof = consistencyProof(leaves.slice(0, 3), 2)
    for (const first of [0, -1, 4, 1.5, Number.NaN]) {
      expect(verifyConsistency(first, roots[2]!, 3, roots[3]!, proof)).toBe(false)
    }
    expect(verifyConsistency(2, roots[2]!, Number.NaN, roots[3]!, proof)).toBe(false)
  })

  it('refuses two different trees of one size', () => {
    expect(verifyConsistency(3, roots[3]!, 3, roots[3]!, [])).toBe(true)
    expect(verifyConsistency(3, roots[3]!, 3, roots[4]!, [])).toBe(false)
    expect(verifyConsistency(3, roots[3]!, 3, roots[3]!, [roots[3]!])).toBe(false)
  })

  it('refuses a log that rewrote an old entry', () => {
    const rewritten = leaves.slice(0, 8).with(1, leafHash(new TextEncoder().encode('another entry')))
    const proof = consistencyProof(rewritten, 5)
    expect(verifyConsistency(5, roots[5]!, 8, merkleRoot(rewritten), proof)).toBe(false)
  })
})

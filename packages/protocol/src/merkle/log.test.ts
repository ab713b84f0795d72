import { describe, expect, it } from 'vitest'
import { MerkleLog } from './log.ts'
import { consistencyProof, inclusionProof, leafHash, merkleRoot } from './tree.ts'

const leaves = Array.from({ length: 70 }, (_, i) => leafHash(new TextEncoder().encode(`leaf ${i}`)))

/** A log of all leaves, and the number of nodes read since the last call. */
function grown() {
  const nodes = new Map<string, Uint8Array>()
  let reads = 0
  const log = new MerkleLog((level, index) => {
    reads += 1
    const node = nodes.get(`${level}/${index}`)
    if (!node) throw new Error(`node ${level}/${index} was never written`)
    return node
  })
  leaves.forEach((leaf, i) => {
    for (const { level, index, hash } of log.append(i, leaf)) {
      expect(nodes.has(`${level}/${index}`)).toBe(false)
      nodes.set(`${level}/${index}`, hash)
    }
  })
  const counted = <T>(work: () => T) => {
    reads = 0
    return { value: work(), reads }
  }
  return { log, nodes, counted }
}

// Every pair of sizes takes a second alone and several on a busy machine.
describe('MerkleLog', () => {
  const { log, nodes, counted } = grown()

  it('has the same root as the plain tree at every size', () => {
    for (let size = 0; size <= leaves.length; size++) {
      expect(log.root(size)).toEqual(merkleRoot(leaves.slice(0, size)))
    }
  })

  it('returns the same inclusion proof as the plain tree for every leaf of every size', () => {
    for (let size = 1; size <= leaves.length; size++) {
      for (let index = 0; index < size; index++) {
        expect(log.inclusion(index, size)).toEqual(inclusionProof(leaves.slice(0, size), index))
      }
    }
  })

  it('returns the same consistency proof as the plain tree for every pair of sizes', () => {
    for (let second = 1; second <= leaves.length; second++) {
      for (let first = 1; first <= second; first++) {
        expect(log.consistency(first, second)).toEqual(consistencyProof(leaves.slice(0, second), first))
      }
    }
  })

  it('stores fewer than two nodes per leaf', () => {
    expect(nodes.size).toBeLessThan(2 * leaves.length)
  })

  it('reads a logarithmic number of nodes', () => {
    expect(counted(() => log.root(63)).reads).toBe(6)
    expect(counted(() => log.root(64)).reads).toBe(1)
    expect(counted(() => log.inclusion(0, 63)).reads).toBeLessThan(16)
    expect(counted(() => log.consistency(33, 70)).reads).toBeLessThan(16)
  })

  it.each([
    [-1, 1],
    [1, 1],
    [0.5, 2],
  ])('refuses leaf %d of %d', (index, size) => {
    expect(() => log.inclusion(index, size)).toThrow(RangeError)
  })

  it.each([
    [0, 1],
    [2, 1],
    [1.5, 2],
  ])('refuses the sizes %d and %d', (first, second) => {
    expect(() => log.consistency(first, second)).toThrow(RangeError)
  })
})

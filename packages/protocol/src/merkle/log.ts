/**
 * An append-only RFC 9162 tree over stored nodes. Appending, computing a root and proving cost O(log n) reads. Only
 * complete subtrees are stored; a node never changes once written.
 *
 * @module
 */
import { type MerkleTree, splitOf } from './hash-tree.ts'
import { SHA3_384_TREE } from './tree.ts'

/** The hash of the complete subtree of 2^level leaves that starts at leaf `index · 2^level`. */
export interface MerkleNode {
  readonly level: number
  readonly index: number
  readonly hash: Uint8Array
}

/** The complete subtrees that make up a tree of `size` leaves, largest first: all that appending and the root read. */
export function frontierNames(size: number): Pick<MerkleNode, 'level' | 'index'>[] {
  const names: Pick<MerkleNode, 'level' | 'index'>[] = []
  let start = 0
  for (let level = Math.floor(Math.log2(Math.max(1, size))); level >= 0; level--) {
    const width = 2 ** level
    if (Math.floor(size / width) % 2 === 0) continue
    names.push({ level, index: start / width })
    start += width
  }
  return names
}

export class MerkleLog {
  readonly #read: (level: number, index: number) => Uint8Array
  readonly #tree: Pick<MerkleTree, 'merkleRoot' | 'nodeHash'>

  /** `read` is only called for nodes that an `append` has returned. */
  constructor(
    read: (level: number, index: number) => Uint8Array,
    tree: Pick<MerkleTree, 'merkleRoot' | 'nodeHash'> = SHA3_384_TREE,
  ) {
    this.#read = read
    this.#tree = tree
  }

  /** The nodes to store when appending a leaf to a log of `size` leaves: the leaf and every subtree it completes. */
  append(size: number, leaf: Uint8Array): MerkleNode[] {
    const nodes: MerkleNode[] = [{ level: 0, index: size, hash: leaf }]
    let hash = leaf
    for (let level = 0, index = size; index % 2 === 1; level++) {
      hash = this.#tree.nodeHash(this.#read(level, index - 1), hash)
      index = (index - 1) / 2
      nodes.push({ level: level + 1, index, hash })
    }
    return nodes
  }

  root(size: number): Uint8Array {
    return size === 0 ? this.#tree.merkleRoot([]) : this.#range(0, size)
  }

  /** PATH of RFC 9162 section 2.1.3.1, lowest sibling first. */
  inclusion(index: number, size: number): Uint8Array[] {
    if (!Number.isInteger(index) || index < 0 || index >= size) throw new RangeError('MerkleLog: no such leaf')
    return this.#path(index, 0, size)
  }

  /** PROOF of section 2.1.4.1, which shows that the first `first` leaves are a prefix of the first `second`. */
  consistency(first: number, second: number): Uint8Array[] {
    if (!Number.isInteger(first) || first < 1 || first > second) throw new RangeError('MerkleLog: no such size')
    return this.#subproof(first, 0, second, true)
  }

  #path(index: number, start: number, end: number): Uint8Array[] {
    const n = end - start
    if (n === 1) return []
    const middle = start + splitOf(n)
    return index < middle
      ? [...this.#path(index, start, middle), this.#range(middle, end)]
      : [...this.#path(index, middle, end), this.#range(start, middle)]
  }

  #subproof(m: number, start: number, end: number, isWhole: boolean): Uint8Array[] {
    const n = end - start
    if (m === n) return isWhole ? [] : [this.#range(start, end)]
    const k = splitOf(n)
    return m <= k
      ? [...this.#subproof(m, start, start + k, isWhole), this.#range(start + k, end)]
      : [...this.#subproof(m - k, start + k, end, false), this.#range(start, start + k)]
  }

  /** Hash of a range that starts where its subtree does: one read if the subtree is complete, else its two halves. */
  #range(start: number, end: number): Uint8Array {
    const n = end - start
    const level = Math.log2(n)
    if (Number.isInteger(level)) return this.#read(level, start / n)
    const middle = start + splitOf(n)
    return this.#tree.nodeHash(this.#range(start, middle), this.#range(middle, end))
  }
}

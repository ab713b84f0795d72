/**
 * The right edge of a log in tiles: per level, the hashes of the last tile while it is not full. It is all that appending
 * and the root need.
 *
 * @module
 */
import { frontierNames, MerkleLog } from '#protocol/merkle/log'
import { placeOf, type TileName } from '#protocol/merkle/tiles'
import { SHA256_BYTES } from './checkpoint.ts'
import { TILE_WIDTH, tileBytes, tileHashes } from './tiles.ts'
import { SHA256_TREE } from './tree.ts'

export interface TreeEdge {
  readonly size: number
  /** Level l has the rest of size / 256^l by 256 hashes. */
  readonly levels: readonly (readonly Uint8Array[])[]
}
export const EMPTY_EDGE: TreeEdge = { size: 0, levels: [] }

export interface FullTile {
  readonly level: number
  readonly index: number
  readonly hashes: readonly Uint8Array[]
}

/** The edge after one more leaf, and the tiles that it fills. */
export function withLeaf({ size, levels }: TreeEdge, leaf: Uint8Array): { edge: TreeEdge; filled: FullTile[] } {
  const filled: FullTile[] = []
  const next = levels.map((hashes) => [...hashes])
  for (let level = 0, hash: Uint8Array | null = leaf; hash; level++) {
    const hashes: Uint8Array[] = [...(next[level] ?? []), hash]
    const isFull = hashes.length === TILE_WIDTH
    next[level] = isFull ? [] : hashes
    hash = isFull ? SHA256_TREE.merkleRoot(hashes) : null
    if (isFull) filled.push({ level, index: Math.floor(size / TILE_WIDTH ** (level + 1)), hashes })
  }
  return { edge: { size: size + 1, levels: next }, filled }
}

export function edgeRoot({ size, levels }: TreeEdge): Uint8Array {
  const roots = frontierNames(size).map((node) => {
    const { tile, from, count } = placeOf(node.level, node.index)
    return SHA256_TREE.merkleRoot((levels[tile.level] ?? []).slice(from, from + count))
  })
  return roots.length === 0
    ? SHA256_TREE.merkleRoot([])
    : roots.reduceRight((right, left) => SHA256_TREE.nodeHash(left, right))
}

export function edgeBytes({ levels }: TreeEdge): Uint8Array {
  return tileBytes(levels.flat())
}

/** The inverse: the size says how many hashes each level has. */
export function edgeOf(size: number, bytes: Uint8Array): TreeEdge {
  const hashes = tileHashes(bytes)
  const levels: Uint8Array[][] = []
  let from = 0
  for (let rest = size; rest > 0; rest = Math.floor(rest / TILE_WIDTH)) {
    const count = rest % TILE_WIDTH
    levels.push(hashes.slice(from, from + count))
    from += count
  }
  if (from !== hashes.length) throw new RangeError('tlog edge: not the edge of a log of this size')
  return { size, levels }
}

/** What reads a tile: its hashes, as far as a log of this size has them. */
export type ReadTile = (level: number, index: number) => Promise<readonly Uint8Array[]>

/** Proves that the first leaves are a prefix of a log. */
export async function consistencyOverTiles(first: number, second: number, read: ReadTile): Promise<Uint8Array[]> {
  if (first === 0 || first === second) return []
  return provedOverTiles(read, (log) => log.consistency(first, second))
}

/** Proves that a leaf is in a log of this size. */
export async function inclusionOverTiles(index: number, size: number, read: ReadTile): Promise<Uint8Array[]> {
  return provedOverTiles(read, (log) => log.inclusion(index, size))
}

/**
 * Runs twice: first to learn which tiles the proof needs, which does not depend on their hashes, then with these tiles,
 * read in parallel.
 */
async function provedOverTiles(read: ReadTile, prove: (log: MerkleLog) => Uint8Array[]): Promise<Uint8Array[]> {
  const wanted = new Map<string, TileName>()
  const zero = new Uint8Array(SHA256_BYTES)
  prove(
    new MerkleLog((level, index) => {
      const { tile } = placeOf(level, index)
      wanted.set(`${tile.level}/${tile.index}`, tile)
      return zero
    }, SHA256_TREE),
  )
  const found = new Map(
    await Promise.all(
      [...wanted].map(
        async ([name, { level, index }]): Promise<[string, readonly Uint8Array[]]> => [name, await read(level, index)],
      ),
    ),
  )
  return prove(
    new MerkleLog((level, index) => {
      const { tile, from, count } = placeOf(level, index)
      const hashes = (found.get(`${tile.level}/${tile.index}`) ?? []).slice(from, from + count)
      if (hashes.length !== count) throw new RangeError('tlog edge: a tile is too short')
      return SHA256_TREE.merkleRoot(hashes)
    }, SHA256_TREE),
  )
}

/**
 * A growing tree of RFC 9162 kept in tiles: 256 consecutive hashes of one level, as the static logs of C2SP cut theirs
 * (height 8), with hashes of 48 bytes. Level 0 of the tiles are leaf hashes, level 1 the roots of full tiles of level 0,
 * and so on: a log of 2^24 leaves has three levels.
 *
 * The tree itself is that of `MerkleLog`; tiles are only where its nodes are read from.
 *
 * @module
 */
import { HASH_BYTES } from './labels.ts'
import { merkleRoot, nodeHash } from './merkle.ts'
import { frontierNames, MerkleLog } from './merkle-log.ts'

const TILE_HEIGHT = 8
export const TILE_WIDTH = 2 ** TILE_HEIGHT

export interface TileName {
  readonly level: number
  readonly index: number
}

/**
 * The hashes of a tile, one after the other, and behind them the roots of its complete subtrees, level by level: two, four,
 * up to 128 hashes wide. Twice the bytes, and a proof hashes nothing of them. A tile that is not full yet has fewer.
 */
export type TileBytes = Uint8Array

/** How many hashes a tile has in a log of `size` leaves; 0 where there is no such tile. */
export function tileWidth(size: number, { level, index }: TileName): number {
  const hashes = Math.floor(size / TILE_WIDTH ** level)
  return Math.max(0, Math.min(TILE_WIDTH, hashes - index * TILE_WIDTH))
}

/** Where the root of a complete subtree is: so many hashes of a tile, from one on. */
function placeOf(level: number, index: number): { tile: TileName; from: number; count: number } {
  const tileLevel = Math.floor(level / TILE_HEIGHT)
  const count = 2 ** (level % TILE_HEIGHT)
  const first = index * count
  const tileIndex = Math.floor(first / TILE_WIDTH)
  return { tile: { level: tileLevel, index: tileIndex }, from: first - tileIndex * TILE_WIDTH, count }
}

function hashesOf(bytes: TileBytes, from: number, count: number): Uint8Array[] {
  if (bytes.length < (from + count) * HASH_BYTES) throw new RangeError('merkle tiles: the tile is too short')
  return Array.from({ length: count }, (_, i) => bytes.subarray((from + i) * HASH_BYTES, (from + i + 1) * HASH_BYTES))
}

/**
 * The root of so many hashes of a tile of `width`, from one on: where it stands among the subtrees of its size. A tile
 * that holds its hashes alone, as an edge does and as tiles were written at first, has it computed.
 */
function storedIn(bytes: TileBytes, width: number, from: number, count: number): Uint8Array {
  if (bytes.length === width * HASH_BYTES) return merkleRoot(hashesOf(bytes, from, count))
  let place = from / count
  for (let size = 1; size < count; size *= 2) place += Math.floor(width / size)
  if (from + count > width) throw new RangeError('merkle tiles: the tile is too short')
  const [hash] = hashesOf(bytes, place, 1)
  if (!hash) throw new RangeError('merkle tiles: the tile is too short')
  return hash
}

/** A tile as it is written: its hashes, and the roots of its complete subtrees. */
function written(hashes: readonly Uint8Array[]): TileBytes {
  const nodes = [...hashes]
  let level: readonly Uint8Array[] = hashes
  while (level.length > 1 && nodes.length < 2 * TILE_WIDTH - 2) {
    level = Array.from({ length: Math.floor(level.length / 2) }, (_, i) => merkleRoot(level.slice(2 * i, 2 * i + 2)))
    nodes.push(...level)
  }
  return joined(nodes)
}

const nameOf = ({ level, index }: TileName) => `${level}/${index}`
const NO_HASH = new Uint8Array(HASH_BYTES)

/** A log as a reader of its tiles knows it. */
export interface LogEdge {
  readonly size: number
  /**
   * The roots of the complete subtrees that the log is made of, largest first: at most one for each bit of its size. With
   * them a proof of the whole log reads no tile but those above its leaf.
   */
  readonly frontier: Uint8Array
}

/**
 * Runs work that reads a log over its frontier and its tiles: first to learn which nodes it asks for, which does not
 * depend on what they are, and then with the tiles that hold them, all fetched at once.
 */
export async function overTiles<T>(
  { size, frontier }: LogEdge,
  work: (log: MerkleLog) => T,
  read: (tile: TileName) => Promise<TileBytes>,
): Promise<T> {
  const names = frontierNames(size)
  const hashes = hashesOf(frontier, 0, names.length)
  const known = new Map(names.map((name, i) => [nameOf(name), hashes[i]]))
  const wanted = new Map<string, TileName>()
  work(
    new MerkleLog((level, index) => {
      const { tile } = placeOf(level, index)
      if (!known.has(nameOf({ level, index }))) wanted.set(nameOf(tile), tile)
      return NO_HASH
    }),
  )
  const fetched = await Promise.all(
    [...wanted].map(async ([name, tile]): Promise<[string, TileBytes]> => [name, await read(tile)]),
  )
  const tiles = new Map(fetched)
  return work(
    new MerkleLog((level, index) => {
      const hash = known.get(nameOf({ level, index }))
      if (hash) return hash
      const { tile, from, count } = placeOf(level, index)
      return storedIn(tiles.get(nameOf(tile)) ?? new Uint8Array(), tileWidth(size, tile), from, count)
    }),
  )
}

export interface Tile extends TileName {
  readonly bytes: TileBytes
}

/** A log as its writer carries it: its size, and of each level the last tile, as far as it is filled. */
export interface TileEdge {
  readonly size: number
  readonly edge: readonly TileBytes[]
}
export const EMPTY_EDGE: TileEdge = { size: 0, edge: [] }

/** Appends leaf hashes, and gives every tile that is new or has grown. */
export function appendLeaves(
  { size, edge }: TileEdge,
  leaves: readonly Uint8Array[],
): TileEdge & { readonly tiles: Tile[] } {
  const tiles: Tile[] = []
  const grown: TileBytes[] = []
  let added: readonly Uint8Array[] = leaves
  for (let level = 0; level < edge.length || added.length > 0; level++) {
    const before = edge[level] ?? new Uint8Array()
    let index = Math.floor(Math.floor(size / TILE_WIDTH ** level) / TILE_WIDTH)
    const hashes = [...hashesOf(before, 0, before.length / HASH_BYTES), ...added]
    const full: Uint8Array[] = []
    let rest = 0
    for (; hashes.length - rest >= TILE_WIDTH; rest += TILE_WIDTH, index++) {
      const filled = hashes.slice(rest, rest + TILE_WIDTH)
      tiles.push({ level, index, bytes: written(filled) })
      full.push(merkleRoot(filled))
    }
    const last = joined(hashes.slice(rest))
    if (added.length > 0 && last.length > 0) tiles.push({ level, index, bytes: written(hashes.slice(rest)) })
    grown.push(last)
    added = full
  }
  return { size: size + leaves.length, edge: grown, tiles }
}

/** The frontier of a log: the subtrees that its size is made of all lie in its edge. */
export function edgeFrontier({ size, edge }: TileEdge): Uint8Array {
  const roots = frontierNames(size).map(({ level, index }) => {
    const { tile, from, count } = placeOf(level, index)
    return merkleRoot(hashesOf(edge[tile.level] ?? new Uint8Array(), from, count))
  })
  return joined(roots)
}

/** The root of a log from its frontier. */
export function frontierRoot({ size, frontier }: LogEdge): Uint8Array {
  const hashes = hashesOf(frontier, 0, frontierNames(size).length)
  return hashes.length === 0 ? merkleRoot([]) : hashes.reduceRight((right, left) => nodeHash(left, right))
}

function joined(hashes: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(hashes.length * HASH_BYTES)
  for (const [i, hash] of hashes.entries()) bytes.set(hash, i * HASH_BYTES)
  return bytes
}

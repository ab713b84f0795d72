/**
 * An append-only RFC 9162 tree stored in tiles: 256 consecutive 48-byte hashes of one level, the layout of C2SP static
 * logs (height 8). Level 0 tiles hold leaf hashes, level 1 the roots of full level 0 tiles, and so on; a log of 2^24
 * leaves has three levels.
 *
 * `MerkleLog` defines the tree; tiles are only its storage.
 *
 * @module
 */
import { HASH_BYTES } from '../base/labels.ts'
import { frontierNames, MerkleLog } from './log.ts'
import { merkleRoot, nodeHash } from './tree.ts'

const TILE_HEIGHT = 8
export const TILE_WIDTH = 2 ** TILE_HEIGHT

export interface TileName {
  readonly level: number
  readonly index: number
}

/**
 * The hashes of a tile, followed by the roots of its complete subtrees, level by level: two, four, up to 128 hashes
 * wide. That doubles the bytes and saves a proof from hashing within the tile. A partial tile has fewer.
 */
export type TileBytes = Uint8Array

/** Number of hashes in a tile of a log of `size` leaves; 0 if the tile does not exist. */
export function tileWidth(size: number, { level, index }: TileName): number {
  const hashes = Math.floor(size / TILE_WIDTH ** level)
  return Math.max(0, Math.min(TILE_WIDTH, hashes - index * TILE_WIDTH))
}

/** Locates the root of a complete subtree: it covers `count` hashes of a tile, starting at `from`. */
export function placeOf(level: number, index: number): { tile: TileName; from: number; count: number } {
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
 * The root of `count` hashes, starting at `from`, of a tile of `width`, read from the stored subtree roots. If the tile
 * holds only its hashes, as an edge and tiles of the earlier format do, the root is computed.
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

/** Serializes a tile: its hashes and the roots of its complete subtrees. */
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
const NO_HASH = /* @__PURE__ */ new Uint8Array(HASH_BYTES)

/** A log from the point of view of a reader of its tiles. */
export interface LogEdge {
  readonly size: number
  /**
   * The roots of the complete subtrees that make up the log, largest first: at most one per bit of its size. With them,
   * a proof for the whole log reads only the tiles above its leaf.
   */
  readonly frontier: Uint8Array
}

/**
 * Runs work that reads a log through its frontier and tiles. Runs it twice: first to learn which nodes it reads, which
 * must not depend on their values, then with the tiles that hold them, all fetched in parallel.
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

/** The frontier of a log of any size that it had, from tiles alone. Compare its root with a signed checkpoint. */
export async function edgeOverTiles(size: number, read: (tile: TileName) => Promise<TileBytes>): Promise<LogEdge> {
  const places = frontierNames(size).map(({ level, index }) => placeOf(level, index))
  const names = new Map(places.map(({ tile }) => [nameOf(tile), tile]))
  const tiles = new Map(
    await Promise.all([...names].map(async ([name, tile]): Promise<[string, TileBytes]> => [name, await read(tile)])),
  )
  const roots = places.map(({ tile, from, count }) =>
    merkleRoot(hashesOf(tiles.get(nameOf(tile)) ?? new Uint8Array(), from, count)),
  )
  return { size, frontier: joined(roots) }
}

export interface Tile extends TileName {
  readonly bytes: TileBytes
}

/** A log from the point of view of its writer: its size and, per level, the last tile as far as it is filled. */
export interface TileEdge {
  readonly size: number
  readonly edge: readonly TileBytes[]
}
export const EMPTY_EDGE: TileEdge = { size: 0, edge: [] }

/** Appends leaf hashes and returns every tile that is new or has grown. */
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

/** The frontier of a log. All subtrees it consists of lie within the edge. */
export function edgeFrontier({ size, edge }: TileEdge): Uint8Array {
  const roots = frontierNames(size).map(({ level, index }) => {
    const { tile, from, count } = placeOf(level, index)
    return merkleRoot(hashesOf(edge[tile.level] ?? new Uint8Array(), from, count))
  })
  return joined(roots)
}

/** Computes the root of a log from its frontier. */
export function frontierRoot({ size, frontier }: LogEdge): Uint8Array {
  const hashes = hashesOf(frontier, 0, frontierNames(size).length)
  return hashes.length === 0 ? merkleRoot([]) : hashes.reduceRight((right, left) => nodeHash(left, right))
}

function joined(hashes: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(hashes.length * HASH_BYTES)
  for (const [i, hash] of hashes.entries()) bytes.set(hash, i * HASH_BYTES)
  return bytes
}

import { describe, expect, it } from 'vitest'
import { toHex } from '../base/hash.ts'
import {
  appendLeaves,
  EMPTY_EDGE,
  edgeFrontier,
  edgeOverTiles,
  frontierRoot,
  overTiles,
  type TileEdge,
  type TileName,
  tileWidth,
} from './tiles.ts'
import { consistencyProof, inclusionProof, leafHash, merkleRoot } from './tree.ts'

const LEAVES = Array.from({ length: 1_500 }, (_, i) => leafHash(new TextEncoder().encode(`leaf ${i}`)))

/** A log filled in steps, and its tiles as a bucket would store them. */
function filled(steps: readonly number[]) {
  const tiles = new Map<string, Uint8Array>()
  const widths = new Map<string, number>()
  let log: TileEdge = EMPTY_EDGE
  for (const count of steps) {
    const { tiles: written, ...next } = appendLeaves(log, LEAVES.slice(log.size, log.size + count))
    for (const { level, index, bytes } of written) {
      const before = tiles.get(`${level}/${index}`) ?? new Uint8Array()
      const width = tileWidth(next.size, { level, index })
      const kept = Math.min(width, widths.get(`${level}/${index}`) ?? 0)
      expect(toHex(bytes.subarray(0, 48 * kept))).toBe(toHex(before.subarray(0, 48 * kept)))
      // Followed by the roots of its complete subtrees, except the root of the whole.
      const nodes = [1, 2, 4, 8, 16, 32, 64, 128].reduce((sum, span) => sum + Math.floor(width / span), 0)
      expect(bytes.length).toBe(48 * nodes)
      widths.set(`${level}/${index}`, width)
      tiles.set(`${level}/${index}`, bytes)
    }
    log = next
  }
  const edge = { size: log.size, frontier: edgeFrontier(log) }
  const read: string[] = []
  const reader = async ({ level, index }: TileName) => {
    read.push(`${level}/${index}`)
    return tiles.get(`${level}/${index}`)!
  }
  return { edge, tiles, reader, read }
}

describe('a log in tiles', () => {
  it.each([0, 1, 2, 3, 255, 256, 257, 511, 512, 513, 1_499])('of %i leaves has the root of RFC 9162', async (size) => {
    const root = toHex(merkleRoot(LEAVES.slice(0, size)))
    const third = Math.floor(size / 3)
    for (const steps of [[size], [third, size - third], Array.from({ length: Math.ceil(size / 37) }, () => 37)]) {
      const { edge, reader } = filled(steps)
      expect(await edgeOverTiles(edge.size, reader)).toEqual(edge)
      if (edge.size === size) expect(toHex(frontierRoot(edge))).toBe(root)
      else expect(toHex(frontierRoot(edge))).toBe(toHex(merkleRoot(LEAVES.slice(0, edge.size))))
    }
  })

  it.each([
    [1, 0],
    [256, 255],
    [257, 256],
    [700, 3],
    [700, 699],
    [1_499, 1_024],
  ])('of %i leaves proves leaf %i as RFC 9162 does', async (size, index) => {
    const { edge, reader } = filled([size])
    const proof = await overTiles(edge, (log) => log.inclusion(index, size), reader)
    expect(proof).toEqual(inclusionProof(LEAVES.slice(0, size), index))
  })

  it.each([
    [1, 1_499],
    [256, 257],
    [300, 1_100],
    [1_024, 1_499],
    [1_499, 1_499],
  ])('proves that %i leaves are a prefix of %i', async (first, second) => {
    const { edge, reader } = filled([1_499])
    const proof = await overTiles(edge, (log) => log.consistency(first, second), reader)
    expect(proof).toEqual(consistencyProof(LEAVES.slice(0, second), first))
  })

  it('reads each tile once, and with a known edge only those above the leaf', async () => {
    const { edge, reader, read } = filled([1_499])
    await overTiles(edge, (log) => log.inclusion(300, 1_499), reader)
    expect(read.toSorted()).toEqual(['0/1', '1/0'])
    read.length = 0
    await overTiles(edge, (log) => log.inclusion(1_497, 1_499), reader)
    expect(read).toEqual(['0/5'])
    read.length = 0
    await overTiles(edge, (log) => log.root(1_499), reader)
    expect(read).toEqual([])
    // For an older size, the edge must be read from tiles.
    await overTiles(edge, (log) => log.root(700), reader)
    expect(read.toSorted()).toEqual(['0/2', '1/0'])
  })

  it('reads tiles written without subtree roots', async () => {
    const { edge, tiles } = filled([1_499])
    const bare = async (tile: TileName) =>
      tiles.get(`${tile.level}/${tile.index}`)!.subarray(0, 48 * tileWidth(1_499, tile))
    for (const index of [0, 300, 1_279, 1_280, 1_498]) {
      const proof = await overTiles(edge, (log) => log.inclusion(index, 1_499), bare)
      expect(proof).toEqual(inclusionProof(LEAVES.slice(0, 1_499), index))
    }
  })

  it('has as many hashes in a tile as the log provides', () => {
    expect(tileWidth(1_000_000, { level: 0, index: 3_905 })).toBe(256)
    expect(tileWidth(1_000_000, { level: 0, index: 3_906 })).toBe(64)
    expect(tileWidth(1_000_000, { level: 2, index: 0 })).toBe(15)
    expect(tileWidth(1_000_000, { level: 3, index: 0 })).toBe(0)
    expect(tileWidth(255, { level: 0, index: 1 })).toBe(0)
  })

  it('refuses a tile that is too short for the log', async () => {
    const { edge } = filled([3])
    const short = async () => new Uint8Array(48)
    await expect(overTiles(edge, (log) => log.inclusion(0, 3), short)).rejects.toThrow('the tile is too short')
    const edgeless = { size: 3, frontier: new Uint8Array(48) }
    await expect(overTiles(edgeless, (log) => log.inclusion(0, 3), short)).rejects.toThrow('the tile is too short')
  })
})

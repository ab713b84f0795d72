import { describe, expect, it } from 'vitest'
import { consistencyOverTiles, EMPTY_EDGE, edgeBytes, edgeOf, edgeRoot, withLeaf } from './edge.ts'
import { TILE_WIDTH, widthIn } from './tiles.ts'
import { SHA256_TREE } from './tree.ts'

const leaves = Array.from({ length: 66_000 }, (_, i) => SHA256_TREE.leafHash(new TextEncoder().encode(`${i}`)))

/** All tiles of the log, by level and index. */
const tiles = new Map<string, readonly Uint8Array[]>()
let edge = EMPTY_EDGE
const roots = new Map<number, Uint8Array>([[0, edgeRoot(edge)]])
const SIZES = [1, 2, 3, 255, 256, 257, 511, 512, 513, 65_535, 65_536, 65_537, 66_000]
for (const leaf of leaves) {
  const grown = withLeaf(edge, leaf)
  edge = grown.edge
  for (const { level, index, hashes } of grown.filled) tiles.set(`${level}/${index}`, hashes)
  if (SIZES.includes(edge.size)) roots.set(edge.size, edgeRoot(edgeOf(edge.size, edgeBytes(edge))))
}
for (const [level, hashes] of edge.levels.entries())
  tiles.set(`${level}/${Math.floor(edge.size / TILE_WIDTH ** (level + 1))}`, hashes)
const read = async (level: number, index: number) => tiles.get(`${level}/${index}`) ?? []

describe('the edge of a log', () => {
  it('has the root of the whole tree at every size', () => {
    // The proofs below lead from the others to the last one.
    for (const size of [0, ...SIZES.filter((small) => small < 65_535), 66_000])
      expect(roots.get(size)).toEqual(SHA256_TREE.merkleRoot(leaves.slice(0, size)))
  })

  it('fills the tiles that a log of this size has', () => {
    expect(tiles.size).toBe(258 + 2 + 1)
    for (const [name, hashes] of tiles) {
      const [level = 0, index = 0] = name.split('/').map(Number)
      expect(hashes).toHaveLength(widthIn(66_000, { level, index }))
    }
  })

  it('is refused for another size', () => {
    expect(() => edgeOf(edge.size + 1, edgeBytes(edge))).toThrow('not the edge of a log of this size')
  })

  it.each(SIZES)('gives a proof from size %i that verifies', async (size) => {
    const proof = await consistencyOverTiles(size, 66_000, read)
    const { verifyConsistency } = SHA256_TREE
    expect(verifyConsistency(size, roots.get(size)!, 66_000, roots.get(66_000)!, proof)).toBe(true)
  })

  it('gives no proof without a tile that it needs', async () => {
    await expect(consistencyOverTiles(257, 66_000, async () => [])).rejects.toThrow('a tile is too short')
    expect(await consistencyOverTiles(0, 66_000, read)).toEqual([])
    expect(await consistencyOverTiles(66_000, 66_000, read)).toEqual([])
  })
})

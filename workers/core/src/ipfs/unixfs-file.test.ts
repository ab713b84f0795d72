import { UnixFS } from 'ipfs-unixfs'
import { describe, expect, it, vi } from 'vitest'
import { fileOf, leafOf, nodeOf, sample, type TestBlock } from '../../test/ipfs/ipfs.fixture.ts'
import { type ContentId, contentIdOf } from './content-id.ts'
import { UnixfsFile, type Walk } from './unixfs-file.ts'

function shelf(...blocks: readonly TestBlock[]) {
  const bytes = new Map(blocks.map((block) => [block.name, block.bytes]))
  const asked: string[] = []
  const get = async ({ name }: ContentId) => {
    asked.push(name)
    return bytes.get(name) ?? null
  }
  return { asked, get }
}

async function open(root: TestBlock, get: (id: ContentId) => Promise<Uint8Array | null>): Promise<UnixfsFile> {
  const id = contentIdOf(root.cid)
  const file = id && (await UnixfsFile.open(id, { get, takenDown: async () => null }))
  if (!file?.ok) throw new Error('not opened')
  return file.value
}

async function walked<T>(walk: Walk<T>) {
  const pieces: T[] = []
  let next = await walk.next()
  for (; !next.done; next = await walk.next()) pieces.push(next.value)
  return { pieces, end: next.value }
}

describe('a walk through a file', () => {
  it('returns every block once, in order, root first', async () => {
    const { root, blocks } = await fileOf(sample(4_500), 1_000, 2)
    const { pieces, end } = await walked((await open(root, shelf(...blocks).get)).blocks())
    expect(end).toBeNull()
    expect(pieces[0]?.id.name).toBe(root.name)
    expect(pieces.map(({ id }) => id.name).toSorted()).toEqual(blocks.map(({ name }) => name).toSorted())
  })

  it('distinguishes breaking off from reaching the end', async () => {
    const { root, blocks, leaves } = await fileOf(sample(3_000))
    const { get } = shelf(...blocks.filter((block) => block !== leaves[1]))
    const file = await open(root, get)
    const { pieces, end } = await walked(file.read(0, 3_000))
    expect(pieces).toEqual([sample(3_000).slice(0, 1_000)])
    expect(end).toEqual({ reason: 'not_found' })
    expect((await walked(file.blocks())).end).toEqual({ reason: 'not_found' })
    expect((await walked(file.read(0, 1_000))).end).toBeNull()
  })

  it('rejects a child that is larger or smaller than its parent says', async () => {
    const leaf = await leafOf(sample(100))
    for (const size of [0, 99, 101]) {
      const root = await nodeOf([leaf, leaf], { sizes: [100, size] })
      const file = await open(root, shelf(leaf, root).get)
      expect((await walked(file.blocks())).end).toEqual({ reason: 'not_a_file' })
    }
  })

  it('requests at most 1,280 blocks', async () => {
    const leaf = await leafOf('x'.repeat(1_000))
    const node = await nodeOf(Array.from({ length: 639 }, () => leaf))
    const [atCap, above] = [await nodeOf([node, node]), await nodeOf([node, node, leaf])]
    const { get, asked } = shelf(leaf, node, atCap, above)
    const whole = await walked((await open(atCap, get)).read(0, 1_278_000))
    expect({ length: whole.pieces.length, end: whole.end }).toEqual({ length: 1_278, end: null })
    asked.length = 0
    expect((await walked((await open(above, get)).read(0, 1_279_000))).end).toEqual({ reason: 'too_large' })
    expect(asked).toHaveLength(1 + 1_280)
  })

  it('requests few blocks of a small file: 64, and one more for each half kilobyte', async () => {
    const leaf = await leafOf('x')
    const [atCap, above] = await Promise.all([64, 66].map((length) => nodeOf(Array.from({ length }, () => leaf))))
    const { get, asked } = shelf(leaf, ...(atCap ? [atCap] : []), ...(above ? [above] : []))
    expect((await walked((await open(atCap ?? leaf, get)).read(0, 64))).end).toBeNull()
    asked.length = 0
    expect((await walked((await open(above ?? leaf, get)).read(0, 66))).end).toEqual({ reason: 'too_large' })
    expect(asked).toHaveLength(1 + 65)
  })

  it('decodes no node of 52,000 links, and no file of 900,000 sizes', async () => {
    const leaf = await leafOf('')
    const few = await nodeOf([leaf])
    const links = await nodeOf(Array.from({ length: 52_000 }, () => leaf))
    const sizes = await nodeOf([leaf], { sizes: Array.from({ length: 900_000 }, () => 0) })
    // The decoder of nodes takes a part of the bytes for each link, and that of files is a method.
    const parts = [few, links].map(({ bytes }) => vi.spyOn(bytes, 'subarray'))
    const files = vi.spyOn(UnixFS, 'unmarshal')
    await open(few, shelf(few).get)
    expect(parts[0]).toHaveBeenCalled()
    expect(files).toHaveBeenCalledTimes(1)
    for (const root of [links, sizes]) await expect(open(root, shelf(root).get)).rejects.toThrow('not opened')
    expect(parts[1]).not.toHaveBeenCalled()
    expect(files).toHaveBeenCalledTimes(1)
    files.mockRestore()
  })

  it('limits the work caused by a tree of empty blocks', async () => {
    let node = await nodeOf([])
    const blocks = [node]
    for (let depth = 0; depth < 3; depth += 1) {
      const child = node
      node = await nodeOf(Array.from({ length: 1_000 }, () => child))
      blocks.push(node)
    }
    const { get, asked } = shelf(...blocks)
    expect((await walked((await open(node, get)).blocks())).end).toEqual({ reason: 'too_large' })
    expect(asked.length).toBeLessThan(1_300)
  })

  it('follows at most four levels', async () => {
    const towers = [await leafOf('x')]
    for (let depth = 1; depth <= 5; depth += 1) towers.push(await nodeOf(towers.slice(-1)))
    const { get } = shelf(...towers)
    const [, , , , four, five] = towers
    if (!four || !five) throw new Error('no towers')
    expect((await walked((await open(four, get)).read(0, 1))).end).toBeNull()
    expect((await walked((await open(five, get)).read(0, 1))).end).toEqual({ reason: 'not_a_file' })
  })
})

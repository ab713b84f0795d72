import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { freshCaller } from '../harness.ts'
import { fileOf, gatewayWith, leafOf, sample } from './ipfs.fixture.ts'

const pinned = async (name: string) =>
  (await env.BLOBS.list({ prefix: `ipfs/pin/${name}/` })).objects.map(({ key }) => key)

describe('an identity’s own pins', () => {
  it('are listed by CID, in pages, and are nobody else’s', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 250)
       INSERT INTO pins (did, cid, provider, status, bytes, pinned_at)
       SELECT ?1, printf('filler-%04d', i), 'object-store', 'pinned', i, i FROM n`,
    )
      .bind(alice.identity.did)
      .run()
    const found: string[] = []
    let pages = 0
    for (let cursor: string | null | undefined; cursor !== null; pages += 1) {
      const page: Awaited<ReturnType<typeof alice.client.account.pins>> = await alice.client.account.pins(cursor)
      found.push(...page.pins.map(({ cid }) => cid))
      cursor = page.cursor
    }
    expect(pages).toBe(3)
    expect(found).toEqual(Array.from({ length: 250 }, (_, i) => `filler-${String(i + 1).padStart(4, '0')}`))
    expect(await bob.client.account.pins()).toEqual({ pins: [], cursor: null })
    const { cursor } = await alice.client.account.pins()
    await expect(bob.client.account.pins(cursor ?? '')).rejects.toMatchObject({ status: 400, error: 'invalid_cursor' })
  })

  it('can be removed, and the blocks go with the last', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const file = await fileOf(sample(2_500, 301))
    const gateway = gatewayWith(...file.blocks)
    for (const { client } of [alice, bob]) await client.account.pin(file.root.name, 'mine')
    expect(gateway.asked).toHaveLength(file.blocks.length)
    expect(await pinned(file.root.name)).toHaveLength(file.blocks.length)
    expect(await alice.client.account.unpin(file.root.cid.toV0().toString())).toMatchObject({
      cid: file.root.name,
      name: 'mine',
      bytes: 2_500,
    })
    expect((await alice.client.account.pins()).pins).toEqual([])
    expect(await pinned(file.root.name)).toHaveLength(file.blocks.length)
    expect((await bob.client.account.pins()).pins).toMatchObject([{ cid: file.root.name, bytes: 2_500 }])
    await bob.client.account.unpin(file.root.name)
    expect(await pinned(file.root.name)).toEqual([])
    await expect(bob.client.account.unpin(file.root.name)).rejects.toMatchObject({ status: 404, error: 'not_found' })
  })

  it('removed and made at once keep their blocks or have no pin', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    for (let seed = 310; seed < 315; seed += 1) {
      const file = await fileOf(sample(1_500, seed))
      gatewayWith(...file.blocks)
      await alice.client.account.pin(file.root.name)
      await Promise.all([alice.client.account.unpin(file.root.name), bob.client.account.pin(file.root.name)])
      expect(await pinned(file.root.name)).toHaveLength(file.blocks.length)
      await bob.client.account.unpin(file.root.name)
      expect(await pinned(file.root.name)).toEqual([])
    }
  })

  it('cannot be removed by another identity', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const leaf = await leafOf(sample(300, 302))
    gatewayWith(leaf)
    await alice.client.account.pin(leaf.name)
    await expect(bob.client.account.unpin(leaf.name)).rejects.toMatchObject({ status: 404 })
    expect(await pinned(leaf.name)).toHaveLength(1)
  })
})

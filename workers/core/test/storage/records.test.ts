import { runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { RECORD_BYTES } from '../../src/storage/rules.ts'
import { assetOf, certifiedAsset, mint, transfer } from '../assets/assets.fixture.ts'
import { freshCaller } from '../harness.ts'
import { fileOf, gatewayWith, sample } from '../ipfs/ipfs.fixture.ts'
import { FREE, identityOf, kept, leave } from './storage.fixture.ts'

describe('the budget of assets', () => {
  it('counts a mint once, however often it is repeated', async () => {
    const caller = await freshCaller()
    const asset = assetOf()
    await mint(caller, asset)
    const once = await kept(caller, 'assets')
    expect(once.rows).toBe(1)
    expect(once.bytes).toBeGreaterThan(RECORD_BYTES)
    await mint(caller, asset)
    expect(await kept(caller, 'assets')).toEqual(once)
  })

  it('counts nothing of a mint that is refused', async () => {
    const [owner, other] = [await freshCaller(), await freshCaller()]
    const asset = assetOf()
    await mint(owner, asset)
    expect(await mint(other, asset)).toMatchObject({ status: 409, body: { error: 'asset_exists' } })
    expect(await kept(other, 'assets')).toEqual({ bytes: 0, rows: 0 })
  })

  it('counts a transfer for who makes it', async () => {
    const [owner, recipient] = [await freshCaller(), await freshCaller()]
    const asset = assetOf()
    await mint(owner, asset)
    expect((await transfer(owner, asset.assetId, recipient.identity.did)).status).toBe(200)
    expect((await kept(owner, 'assets')).rows).toBe(2)
    expect((await kept(recipient, 'assets')).rows).toBe(0)
  })

  it('lets one of twenty mints have the last row', async () => {
    const caller = await freshCaller()
    await leave(caller, { rows: 1 })
    const assets = await Promise.all(Array.from({ length: 20 }, () => certifiedAsset(caller)))
    const answers = await Promise.all(assets.map((asset) => mint(caller, asset)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const refused = answers.filter(({ status }) => status === 402)
    expect(refused).toHaveLength(19)
    expect(refused[0]?.body).toMatchObject({
      error: 'budget_exhausted',
      details: { budget: 'storedRows', used: FREE.storedRows, limit: FREE.storedRows, tier: 'notes' },
    })
    expect((await kept(caller)).rows).toBe(FREE.storedRows)
  })
})

describe('what a crash has left counted', () => {
  it('is given back when it is not listed, and older than an hour', async () => {
    const caller = await freshCaller()
    const identity = identityOf(caller)
    for (const item of ['a', 'b']) await identity.keep(caller.identity.did, { kind: 'pins', item, bytes: 100 })
    await identity.retainKept('pins', ['a'], Date.now())
    expect((await kept(caller, 'pins')).rows).toBe(2)
    const later = Date.now() + 2 * 3_600_000
    await identity.retainKept('pins', ['a'], later)
    expect(await kept(caller, 'pins')).toEqual({ bytes: 100 + RECORD_BYTES, rows: 1 })
    await identity.releaseKept('pins', 'a')
    await identity.releaseKept('pins', 'a')
    expect(await kept(caller, 'pins')).toEqual({ bytes: 0, rows: 0 })
  })
})

describe('the budget of pins', () => {
  it('counts the bytes of each pin of each owner, until it is removed', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const file = await fileOf(sample(2_500, 401))
    gatewayWith(...file.blocks)
    const one = { bytes: 2_500 + RECORD_BYTES, rows: 1 }
    for (const { client } of [alice, alice, bob]) await client.account.pin(file.root.name)
    expect([await kept(alice, 'pins'), await kept(bob, 'pins')]).toEqual([one, one])
    await alice.client.account.unpin(file.root.name)
    expect([await kept(alice, 'pins'), await kept(bob, 'pins')]).toEqual([{ bytes: 0, rows: 0 }, one])
  })

  it('refuses what does not fit before it is fetched, and counts nothing of it', async () => {
    const caller = await freshCaller()
    const file = await fileOf(sample(2_500, 402))
    gatewayWith(...file.blocks)
    await leave(caller, { bytes: 3_000 })
    await expect(caller.client.account.pin(file.root.name)).rejects.toMatchObject({
      status: 402,
      error: 'budget_exhausted',
    })
    expect(await kept(caller, 'pins')).toEqual({ bytes: 0, rows: 0 })
    expect((await caller.client.account.pins()).pins).toEqual([])
  })

  it('makes room with what is no longer pinned', async () => {
    const caller = await freshCaller()
    const file = await fileOf(sample(2_500, 403))
    gatewayWith(...file.blocks)
    await identityOf(caller).keep(caller.identity.did, { kind: 'pins', item: 'taken-down', bytes: 3_000 })
    await leave(caller, { bytes: 0 })
    await expect(caller.client.account.pin(file.root.name)).rejects.toMatchObject({ error: 'budget_exhausted' })
    await runInDurableObject(identityOf(caller), (_, { storage }) => {
      storage.sql.exec('UPDATE kept_items SET kept_at = 1')
    })
    expect(await caller.client.account.pin(file.root.name)).toMatchObject({ bytes: 2_500 })
  })
})

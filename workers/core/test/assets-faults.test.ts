import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { assetOf, dataOf, mint, minted, refused, stored, transfer } from './assets.fixture.ts'
import { databaseWith, failingAfter, failingBefore } from './database.fixture.ts'
import { call, freshCaller, sendWith } from './harness.ts'

const MOVE = 'INSERT INTO asset_transfers'
const READ = 'SELECT asset_id, header'
const DOWN = refused(503, 'dependency_unavailable')

async function aliceBobAsset() {
  const [alice, bob] = [await freshCaller(), await freshCaller()]
  const [a, b] = [alice.identity.did, bob.identity.did]
  const assetId = await minted(alice)
  const kept = { owner: a, transfers: 0, events: [] }
  const moved = { owner: b, transfers: 1, events: [{ position: 0, previous_owner: a, new_owner: b }] }
  return { alice, bob, assetId, kept, moved }
}

describe('when D1 fails around a transfer', () => {
  it('before it is written, the asset stays, and the same transfer succeeds afterwards', async () => {
    const { alice, bob, assetId, kept, moved } = await aliceBobAsset()
    const fetch = sendWith(failingBefore(MOVE))
    expect(await transfer(alice, assetId, bob.identity.did, { fetch })).toMatchObject(DOWN)
    expect(await stored(assetId)).toEqual(kept)
    expect((await transfer(alice, assetId, bob.identity.did)).status).toBe(200)
    expect(await stored(assetId)).toEqual(moved)
  })

  it('after it was written, it stands once, and the retry is answered with it', async () => {
    const { alice, bob, assetId, moved } = await aliceBobAsset()
    const fetch = sendWith(failingAfter(MOVE))
    expect(await transfer(alice, assetId, bob.identity.did, { fetch })).toMatchObject(DOWN)
    expect(await stored(assetId)).toEqual(moved)
    const retry = await transfer(alice, assetId, bob.identity.did)
    expect(dataOf(retry).owner).toBe(bob.identity.did)
    expect(await stored(assetId)).toEqual(moved)
  })

  it('after it was written, another transfer by the former owner is refused', async () => {
    const { alice, bob, assetId, moved } = await aliceBobAsset()
    const carol = await freshCaller()
    const fetch = sendWith(failingAfter(MOVE))
    expect((await transfer(alice, assetId, bob.identity.did, { fetch })).status).toBe(503)
    expect(await transfer(alice, assetId, carol.identity.did)).toMatchObject(refused(403, 'owner_mismatch'))
    expect(await stored(assetId)).toEqual(moved)
    expect((await transfer(bob, assetId, carol.identity.did)).status).toBe(200)
  })

  it('between the event and the owner, neither is written', async () => {
    const { alice, bob, assetId, kept, moved } = await aliceBobAsset()
    // A second statement that fails takes the first with it.
    await env.DB.exec(
      `CREATE TRIGGER no_owner BEFORE UPDATE ON assets BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`,
    )
    expect(await transfer(alice, assetId, bob.identity.did)).toMatchObject(DOWN)
    expect(await stored(assetId)).toEqual(kept)
    await env.DB.exec('DROP TRIGGER no_owner')
    expect((await transfer(alice, assetId, bob.identity.did)).status).toBe(200)
    expect(await stored(assetId)).toEqual(moved)
  })

  it('in the reading of the record alone, the transfer stands once', async () => {
    const { alice, bob, assetId, moved } = await aliceBobAsset()
    let reads = 0
    const secondRead = databaseWith(async (sql, work) => {
      if (sql.startsWith(READ)) reads += 1
      if (reads === 2) throw new Error('D1 is down')
      return work()
    })
    expect(await transfer(alice, assetId, bob.identity.did, { fetch: sendWith(secondRead) })).toMatchObject(DOWN)
    expect(await stored(assetId)).toEqual(moved)
    expect((await transfer(alice, assetId, bob.identity.did)).status).toBe(200)
    expect(await stored(assetId)).toEqual(moved)
  })

  it('in the reading of the policy, no attestation is taken for good', async () => {
    const { alice, bob, assetId, kept } = await aliceBobAsset()
    const attestations = [
      { alg: 'ml-dsa-65' as const, publicKeyB64u: alice.identity.publicKeyB64u, signatureB64u: 'AA' },
    ]
    const fetch = sendWith(failingBefore('FROM governance_policies'))
    expect(await transfer(alice, assetId, bob.identity.did, { attestations, fetch })).toMatchObject(DOWN)
    expect(await stored(assetId)).toEqual(kept)
  })
})

describe('when D1 fails around a mint', () => {
  it('before it is written, there is no asset, and the same mint succeeds afterwards', async () => {
    const caller = await freshCaller()
    const asset = assetOf()
    expect(await mint(caller, asset, { fetch: sendWith(failingBefore('INSERT INTO assets')) })).toMatchObject(DOWN)
    expect(await stored(asset.assetId)).toEqual({ owner: undefined, transfers: undefined, events: [] })
    expect((await mint(caller, asset)).status).toBe(200)
  })

  it('after it was written, the same mint gives the record, and nobody else gets the asset', async () => {
    const [caller, other] = [await freshCaller(), await freshCaller()]
    const asset = assetOf()
    expect(await mint(caller, asset, { fetch: sendWith(failingAfter('INSERT INTO assets')) })).toMatchObject(DOWN)
    expect(await mint(other, asset)).toMatchObject(refused(409, 'asset_exists'))
    expect(dataOf(await mint(caller, asset)).owner).toBe(caller.identity.did)
  })
})

describe('when D1 cannot be read', () => {
  it('no asset is taken for one that was never minted', async () => {
    const { alice, bob, assetId } = await aliceBobAsset()
    const fetch = sendWith(failingBefore(READ))
    for (const path of [`/api/assets/${assetId}`, `/api/assets/${assetId}/receipts`])
      expect(await call(alice, 'GET', path, undefined, fetch)).toMatchObject(DOWN)
    expect(await call(alice, 'POST', `/api/assets/${assetId}/export`, undefined, fetch)).toMatchObject(DOWN)
    expect(await transfer(alice, assetId, bob.identity.did, { fetch })).toMatchObject(DOWN)
  })
})

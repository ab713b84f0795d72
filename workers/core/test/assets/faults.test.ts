import { env } from 'cloudflare:workers'
import type { AssetCore } from '@svc/protocol/ledger/assets'
import type { TestCaller } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { databaseWith, failingAfter, failingBefore } from '../database.fixture.ts'
import { call, freshCaller, sendWith } from '../harness.ts'
import {
  assetOf,
  certifiedAsset,
  dataOf,
  mint,
  minted,
  mintSigned,
  recordAt,
  refused,
  stored,
  transfer,
} from './assets.fixture.ts'

const MOVE = 'INSERT INTO asset_transfers'
const READ = 'SELECT asset_id, proved, header'
const DOWN = refused(503, 'dependency_unavailable')

async function aliceBobAsset() {
  const [alice, bob] = [await freshCaller(), await freshCaller()]
  const [a, b] = [alice.identity.did, bob.identity.did]
  const assetId = await minted(alice)
  const kept = { owner: a, transfers: 0, events: [] }
  const moved = { owner: b, transfers: 1, events: [{ position: 0, previous_owner: a, new_owner: b }] }
  return { alice, bob, assetId, kept, moved }
}

describe('when D1 fails during a transfer', () => {
  it('before the write, the asset stays, and the same transfer succeeds later', async () => {
    const { alice, bob, assetId, kept, moved } = await aliceBobAsset()
    const fetch = sendWith(failingBefore(MOVE))
    expect(await transfer(alice, assetId, bob.identity.did, { fetch })).toMatchObject(DOWN)
    expect(await stored(assetId)).toEqual(kept)
    expect((await transfer(alice, assetId, bob.identity.did)).status).toBe(200)
    expect(await stored(assetId)).toEqual(moved)
  })

  it('after the write, it is stored once, and the retry returns it', async () => {
    const { alice, bob, assetId, moved } = await aliceBobAsset()
    const fetch = sendWith(failingAfter(MOVE))
    expect(await transfer(alice, assetId, bob.identity.did, { fetch })).toMatchObject(DOWN)
    expect(await stored(assetId)).toEqual(moved)
    const retry = await transfer(alice, assetId, bob.identity.did)
    expect(dataOf(retry).owner).toBe(bob.identity.did)
    expect(await stored(assetId)).toEqual(moved)
  })

  it('after the write, another transfer by the former owner is rejected', async () => {
    const { alice, bob, assetId, moved } = await aliceBobAsset()
    const carol = await freshCaller()
    const fetch = sendWith(failingAfter(MOVE))
    expect((await transfer(alice, assetId, bob.identity.did, { fetch })).status).toBe(503)
    expect(await transfer(alice, assetId, carol.identity.did)).toMatchObject(refused(403, 'owner_mismatch'))
    expect(await stored(assetId)).toEqual(moved)
    expect((await transfer(bob, assetId, carol.identity.did)).status).toBe(200)
  })

  it('between event and owner, neither is written', async () => {
    const { alice, bob, assetId, kept, moved } = await aliceBobAsset()
    // If the second statement fails, the first is rolled back.
    await env.DB.exec(
      `CREATE TRIGGER no_owner BEFORE UPDATE ON assets BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`,
    )
    expect(await transfer(alice, assetId, bob.identity.did)).toMatchObject(DOWN)
    expect(await stored(assetId)).toEqual(kept)
    await env.DB.exec('DROP TRIGGER no_owner')
    expect((await transfer(alice, assetId, bob.identity.did)).status).toBe(200)
    expect(await stored(assetId)).toEqual(moved)
  })

  it('only while the record is read, the transfer is stored once', async () => {
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

  it('while the policy is read, no attestation is accepted', async () => {
    const { alice, bob, assetId, kept } = await aliceBobAsset()
    const attestations = [
      { alg: 'ml-dsa-65' as const, publicKeyB64u: alice.identity.publicKeyB64u, signatureB64u: 'AA' },
    ]
    const fetch = sendWith(failingBefore('FROM governance_policies'))
    expect(await transfer(alice, assetId, bob.identity.did, { attestations, fetch })).toMatchObject(DOWN)
    expect(await stored(assetId)).toEqual(kept)
  })
})

describe('when D1 fails during a mint', () => {
  it('before the write, there is no asset, and the same mint succeeds later', async () => {
    const caller = await freshCaller()
    const asset = assetOf()
    expect(await mint(caller, asset, { fetch: sendWith(failingBefore('INSERT INTO assets')) })).toMatchObject(DOWN)
    expect(await stored(asset.assetId)).toEqual({ owner: undefined, transfers: undefined, events: [] })
    expect((await mint(caller, asset)).status).toBe(200)
  })

  it('after the write, the same mint returns the record, and nobody else gets the asset', async () => {
    const [caller, other] = [await freshCaller(), await freshCaller()]
    const asset = assetOf()
    expect(await mint(caller, asset, { fetch: sendWith(failingAfter('INSERT INTO assets')) })).toMatchObject(DOWN)
    expect(await mint(other, asset)).toMatchObject(refused(409, 'asset_exists'))
    expect(dataOf(await mint(caller, asset)).owner).toBe(caller.identity.did)
  })
})

describe('when D1 fails during a mint that displaces a record', () => {
  const contested = async () => {
    const [alice, mallory] = [await freshCaller(), await freshCaller()]
    const asset = await certifiedAsset(alice)
    expect((await mint(mallory, asset)).status).toBe(200)
    expect((await transfer(mallory, asset.assetId, mallory.identity.did)).status).toBe(200)
    return { alice, mallory, asset }
  }
  const displacedOwner = async (alice: TestCaller, { assetId }: AssetCore) =>
    (await alice.client.assets.displaced(assetId))?.record.owner

  it('before the write, nothing is displaced, and the same mint succeeds later', async () => {
    const { alice, mallory, asset } = await contested()
    const fetch = sendWith(failingBefore('INSERT INTO assets'))
    expect(await mintSigned(alice, asset, { fetch })).toMatchObject(DOWN)
    expect((await recordAt(alice, asset.assetId)).owner).toBe(mallory.identity.did)
    expect(await displacedOwner(alice, asset)).toBeUndefined()
    expect((await mintSigned(alice, asset)).status).toBe(200)
    expect(await displacedOwner(alice, asset)).toBe(mallory.identity.did)
  })

  it('after the write, everything is displaced, and the retry returns the record', async () => {
    const { alice, mallory, asset } = await contested()
    const fetch = sendWith(failingAfter('INSERT INTO assets'))
    expect(await mintSigned(alice, asset, { fetch })).toMatchObject(DOWN)
    const { owner, transfers = [] } = await recordAt(alice, asset.assetId)
    expect([owner, transfers]).toEqual([alice.identity.did, []])
    expect(await displacedOwner(alice, asset)).toBe(mallory.identity.did)
    expect(await transfer(mallory, asset.assetId, mallory.identity.did)).toMatchObject(refused(403, 'owner_mismatch'))
    expect(dataOf(await mintSigned(alice, asset)).owner).toBe(alice.identity.did)
  })
})

describe('when D1 cannot be read', () => {
  it('no existing asset is reported as never minted', async () => {
    const { alice, bob, assetId } = await aliceBobAsset()
    const fetch = sendWith(failingBefore(READ))
    for (const path of ['', '/receipts', '/history'].map((end) => `/api/assets/${assetId}${end}`))
      expect(await call(alice, 'GET', path, undefined, fetch)).toMatchObject(DOWN)
    expect(await call(alice, 'POST', `/api/assets/${assetId}/export`, undefined, fetch)).toMatchObject(DOWN)
    expect(await transfer(alice, assetId, bob.identity.did, { fetch })).toMatchObject(DOWN)
  })
})

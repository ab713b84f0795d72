import { env } from 'cloudflare:workers'
import type { AssetCore } from '@svc/protocol/ledger/assets'
import type { TestCaller } from '@svc/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { call, freshCaller } from '../harness.ts'
import { DRAFT, freshOwner, opened, putKeyAgreement, verify } from '../inbox/inbox.fixture.ts'
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

let alice: TestCaller
let mallory: TestCaller
let bob: TestCaller

beforeAll(async () => {
  ;[alice, mallory, bob] = [await freshCaller(), await freshCaller(), await freshCaller()]
})

const RECEIPT = { standard: 'erc721', contract: `0x${'0f'.repeat(20)}`, tokenId: '7' } as const

/** An id that certifies Alice and that Mallory records first, with a receipt and transfers to Bob and back. */
async function squatted(): Promise<AssetCore> {
  const asset = await certifiedAsset(alice)
  const { assetId } = asset
  expect((await mint(mallory, asset)).status).toBe(200)
  await mallory.client.assets.addReceipt(assetId, RECEIPT)
  await mallory.client.assets.transfer(assetId, bob.identity.did)
  await bob.client.assets.transfer(assetId, mallory.identity.did)
  return asset
}
const unnamed = ({ media, metadataHash }: AssetCore) => ({ media, metadataHash })

describe('a record that somebody else put under the id of Alice’s asset', () => {
  it('is read as unproved, and displaced by her mint', async () => {
    const asset = await squatted()
    const { assetId } = asset
    const claimed = { owner: 'claimed', did: mallory.identity.did, reason: 'id_not_certified' }
    expect((await alice.client.assets.read(assetId)).proof).toEqual(claimed)
    const record = await alice.client.assets.mint(unnamed(asset))
    expect(record).toMatchObject({ owner: alice.identity.did, asset })
    expect(record).not.toHaveProperty('transfers')
    expect(record).not.toHaveProperty('receipts')
    const { did } = alice.identity
    expect(await bob.client.assets.read(assetId)).toEqual({ record, proof: { owner: 'proved', did, minter: did } })
  })

  it('stays readable in the history, with its transfers and receipts', async () => {
    const asset = await squatted()
    const { assetId } = asset
    const before = await recordAt(alice, assetId)
    expect(await alice.client.assets.displaced(assetId)).toBeNull()
    const { createdAt } = await alice.client.assets.mint(unnamed(asset))
    const { transfers, ...rest } = before
    expect(transfers).toHaveLength(2)
    expect(rest.receipts).toHaveLength(1)
    expect(await bob.client.assets.displaced(assetId)).toEqual({ record: rest, displacedAt: createdAt, transfers })
    expect(await call(bob, 'GET', `/api/assets/${assetId}/history?cursor=1`)).toMatchObject({
      status: 200,
      body: { data: { assetId, displaced: { transfers: transfers?.slice(1), position: 1, count: 2, cursor: null } } },
    })
  })

  it('is of no use any more: nobody transfers, exports or changes it', async () => {
    const asset = await squatted()
    const { assetId } = asset
    await alice.client.assets.mint(unnamed(asset))
    const mismatch = refused(403, 'owner_mismatch')
    expect(await transfer(mallory, assetId, bob.identity.did)).toMatchObject(mismatch)
    expect(await call(mallory, 'POST', `/api/assets/${assetId}/export`)).toMatchObject(mismatch)
    expect(await call(mallory, 'POST', `/api/assets/${assetId}/receipts`, RECEIPT)).toMatchObject(mismatch)
    expect(await mint(mallory, asset)).toMatchObject(refused(409, 'asset_exists'))
    expect((await alice.client.assets.displaced(assetId))?.transfers).toHaveLength(2)
  })

  it('leaves positions and receipts of the new record alone', async () => {
    const asset = await squatted()
    const { assetId } = asset
    await alice.client.assets.mint(unnamed(asset))
    expect((await alice.client.assets.addReceipt(assetId, RECEIPT)).receipts).toHaveLength(1)
    await alice.client.assets.transfer(assetId, bob.identity.did)
    const { transfers, proof } = await bob.client.assets.export(assetId)
    expect(transfers).toHaveLength(1)
    expect(proof).toEqual({ owner: 'proved', did: bob.identity.did, minter: alice.identity.did })
  })
})

describe('a record is displaced', () => {
  it('once: the proved one stays, whatever is minted after it', async () => {
    const asset = await squatted()
    const first = await alice.client.assets.mint(unnamed(asset))
    expect(dataOf(await mintSigned(alice, asset, { header: { timestamp: '2026-10-23T11:00:00Z' } }))).toEqual(first)
    expect(await alice.client.assets.mint(unnamed(asset))).toEqual(first)
    const rows = env.DB.prepare('SELECT count(*) AS n FROM assets WHERE asset_id = ?').bind(asset.assetId)
    expect(await rows.first('n')).toBe(2)
  })

  it('also if it is her own without a signature', async () => {
    const asset = await certifiedAsset(alice)
    expect((await mint(alice, asset)).status).toBe(200)
    expect((await alice.client.assets.read(asset.assetId)).proof).toMatchObject({ reason: 'mint_unsigned' })
    const record = await alice.client.assets.mint(unnamed(asset))
    expect(record.attestations).toHaveLength(1)
    expect((await alice.client.assets.displaced(asset.assetId))?.record.attestations).toEqual([])
  })

  it('and stays with whom she gave it to: she does not get it back by minting again', async () => {
    const asset = await certifiedAsset(alice)
    await alice.client.assets.mint(unnamed(asset))
    await alice.client.assets.transfer(asset.assetId, bob.identity.did)
    expect(await mintSigned(alice, asset)).toMatchObject(refused(409, 'asset_exists'))
    expect((await stored(asset.assetId)).owner).toBe(bob.identity.did)
  })
})

describe('no record is displaced by a mint', () => {
  it.each<[string, (asset: AssetCore) => Promise<unknown>]>([
    ['without a signature', (asset) => mint(alice, asset)],
    ['that another signs', (asset) => mintSigned(bob, asset)],
    ['of another core', async (asset) => mintSigned(alice, { ...asset, metadataHash: 'a7'.repeat(48) })],
  ])('%s', async (_, again) => {
    const asset = await squatted()
    expect(await again(asset)).toMatchObject(refused(409, 'asset_exists'))
    expect((await stored(asset.assetId)).owner).toBe(mallory.identity.did)
    expect(await alice.client.assets.displaced(asset.assetId)).toBeNull()
  })

  it('under an id of another origin, signed or not: the first has it', async () => {
    const asset = assetOf()
    expect((await mint(mallory, asset)).status).toBe(200)
    expect(await mintSigned(alice, asset)).toMatchObject(refused(409, 'asset_exists'))
    expect((await alice.client.assets.read(asset.assetId)).proof).toMatchObject({ owner: 'claimed' })
  })
})

describe('the history of an asset', () => {
  it('that was never displaced is empty, and that does not exist is not found', async () => {
    const assetId = await minted(alice)
    expect(await call(bob, 'GET', `/api/assets/${assetId}/history`)).toMatchObject({
      status: 200,
      body: { data: { assetId, displaced: null } },
    })
    const unknown = assetOf().assetId
    expect(await call(bob, 'GET', `/api/assets/${unknown}/history`)).toMatchObject(refused(404, 'not_found'))
    expect((await call(bob, 'GET', `/api/assets/${assetId}/history?cursor=x`)).status).toBe(400)
  })
})

describe('a contact request about a displaced record', () => {
  const changed = refused(409, 'key_agreement_changed')

  it('is not delivered to the former owner, and a new one goes to the right one', async () => {
    await putKeyAgreement(mallory.identity)
    const { caller: owner } = await freshOwner()
    const asset = await certifiedAsset(owner)
    const { assetId } = asset
    expect((await mint(mallory, asset)).status).toBe(200)
    const wrongly = await opened({ caller: mallory, did: mallory.identity.did, assetId })
    await owner.client.assets.mint(unnamed(asset))
    const { contact, code, envelope } = wrongly
    expect(await verify(contact, code, envelope)).toMatchObject(changed)
    expect((await mallory.client.inbox.list()).messages).toEqual([])
    const rightly = await opened({ caller: owner, did: owner.identity.did, assetId })
    expect((await verify(rightly.contact, rightly.code, rightly.envelope)).status).toBe(200)
    const [message] = (await owner.client.inbox.list()).messages
    expect(await owner.client.inbox.open(message!)).toEqual({ ...DRAFT, assetId, sealedWith: 'x-wing' })
  })

  it('uses no attempt, and is the same after an ordinary transfer', async () => {
    const owner = await freshOwner()
    const { contact, code, envelope } = await opened(owner)
    await owner.caller.client.assets.transfer(owner.assetId, bob.identity.did)
    for (let i = 0; i < 6; i++) expect(await verify(contact, code, envelope)).toMatchObject(changed)
    await bob.client.assets.transfer(owner.assetId, owner.did)
    expect((await verify(contact, code, envelope)).status).toBe(200)
  })
})

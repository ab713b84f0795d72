import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { call, freshCaller, sendWith } from '../harness.ts'
import {
  assetOf,
  dataOf,
  deviceOf,
  freshAssetId,
  mint,
  minted,
  recordAt,
  refused,
  stored,
  transfer,
  transferHeaderOf,
} from './assets.fixture.ts'

describe('a transfer', () => {
  it('changes the owner, and the record shows from whom to whom', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const assetId = await minted(alice)
    const answer = await transfer(alice, assetId, bob.identity.did)
    expect(answer.status).toBe(200)
    const record = dataOf(answer)
    expect(record.owner).toBe(bob.identity.did)
    expect(record.transfers).toEqual([
      {
        header: transferHeaderOf(alice, assetId, bob.identity.did),
        attestations: [],
        previousOwner: alice.identity.did,
        newOwner: bob.identity.did,
        occurredAt: record.updatedAt,
      },
    ])
    expect(record.header.userId).toBe(alice.identity.userId)
    expect(await recordAt(bob, assetId)).toEqual(record)
  })

  it('records every owner in order when the asset moves there, on and back', async () => {
    const [alice, bob, carol] = [await freshCaller(), await freshCaller(), await freshCaller()]
    const assetId = await minted(alice)
    await alice.client.assets.transfer(assetId, bob.identity.did)
    await bob.client.assets.transfer(assetId, carol.identity.did)
    const { owner, transfers = [] } = await carol.client.assets.transfer(assetId, alice.identity.did)
    expect(owner).toBe(alice.identity.did)
    const [a, b, c] = [alice.identity.did, bob.identity.did, carol.identity.did]
    expect(transfers.map(({ previousOwner, newOwner }) => [previousOwner, newOwner])).toEqual([
      [a, b],
      [b, c],
      [c, a],
    ])
  })

  it('is rejected unless the caller owns the asset, even if they minted it', async () => {
    const [alice, bob, mallory] = [await freshCaller(), await freshCaller(), await freshCaller()]
    const assetId = await minted(alice)
    const { did } = mallory.identity
    expect(await transfer(mallory, assetId, did)).toMatchObject(refused(403, 'owner_mismatch'))
    expect((await transfer(alice, assetId, bob.identity.did)).status).toBe(200)
    expect(await transfer(alice, assetId, did)).toMatchObject(refused(403, 'owner_mismatch'))
    expect((await stored(assetId)).owner).toBe(bob.identity.did)
  })

  it('is rejected under another userId, including the owner’s', async () => {
    const [alice, mallory] = [await freshCaller(), await freshCaller()]
    const assetId = await minted(alice)
    const { did, userId } = mallory.identity
    expect(await transfer(alice, assetId, did, { header: { userId } })).toMatchObject(refused(403, 'owner_mismatch'))
    const asAlice = { header: { userId: alice.identity.userId } }
    expect(await transfer(mallory, assetId, did, asAlice)).toMatchObject(refused(403, 'owner_mismatch'))
    expect(await stored(assetId)).toEqual({ owner: alice.identity.did, transfers: 0, events: [] })
  })

  it('is rejected under a security hold, until it is lifted', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const assetId = await minted(alice)
    await alice.client.security.placeHold()
    expect(await transfer(alice, assetId, bob.identity.did)).toMatchObject(refused(409, 'security_hold'))
    expect((await stored(assetId)).owner).toBe(alice.identity.did)
    await alice.client.security.liftHold()
    expect((await transfer(alice, assetId, bob.identity.did)).status).toBe(200)
  })

  it('is rejected for an unknown DID, a device’s or a deactivated one', async () => {
    const alice = await freshCaller()
    const assetId = await minted(alice)
    const nobody = await freshCaller({ genesis: false })
    const ended = await freshCaller()
    await ended.client.security.deactivate()
    const device = await deviceOf(alice, [])
    for (const to of [nobody.identity.did, `did:svc:${'A'.repeat(32)}`, ended.identity.did, device.did])
      expect(await transfer(alice, assetId, to)).toMatchObject(refused(409, 'recipient_unknown'))
    expect(await stored(assetId)).toEqual({ owner: alice.identity.did, transfers: 0, events: [] })
  })

  it.each([
    ['to no DID', { to: 'did:web:example.com' }],
    ['with the action of a mint', { action: 'asset/mint' }],
    ['with another member', { price: 7 }],
    ['of no asset', { assetId: 'asset:sha3-384:00' }],
  ])('%s is refused by its schema', async (_, header) => {
    const alice = await freshCaller()
    expect(await transfer(alice, freshAssetId(), alice.identity.did, { header })).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    })
  })

  it('repeated after a lost answer returns the record and moves nothing', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const assetId = await minted(alice)
    const first = await transfer(alice, assetId, bob.identity.did)
    expect(dataOf(await transfer(alice, assetId, bob.identity.did))).toEqual(dataOf(first))
    expect((await stored(assetId)).events).toHaveLength(1)
    const later = { header: { timestamp: '2026-10-23T10:00:01Z' } }
    expect(await transfer(alice, assetId, bob.identity.did, later)).toMatchObject(refused(403, 'owner_mismatch'))
    expect(await transfer(bob, assetId, bob.identity.did, { header: { userId: alice.identity.userId } })).toMatchObject(
      refused(403, 'owner_mismatch'),
    )
  })

  it('to oneself is a transfer too, and is the same one when repeated', async () => {
    const alice = await freshCaller()
    const assetId = await minted(alice)
    const { did } = alice.identity
    const first = await transfer(alice, assetId, did)
    expect(first.status).toBe(200)
    expect(dataOf(await transfer(alice, assetId, did))).toEqual(dataOf(first))
    expect((await stored(assetId)).events).toEqual([{ position: 0, previous_owner: did, new_owner: did }])
    const other = await freshCaller()
    expect(await transfer(other, assetId, other.identity.did)).toMatchObject(refused(403, 'owner_mismatch'))
  })

  it('repeated after the asset moved on is rejected', async () => {
    const [alice, bob, carol] = [await freshCaller(), await freshCaller(), await freshCaller()]
    const assetId = await minted(alice)
    await transfer(alice, assetId, bob.identity.did)
    await transfer(bob, assetId, carol.identity.did)
    expect(await transfer(alice, assetId, bob.identity.did)).toMatchObject(refused(403, 'owner_mismatch'))
    expect((await stored(assetId)).owner).toBe(carol.identity.did)
  })

  it('moves nothing if the recipient cannot be looked up', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const assetId = await minted(alice)
    const { did } = bob.identity
    const unreachable = new Proxy({}, { get: () => () => Promise.reject(new Error('overloaded')) })
    const getByName = (name: string) => (name === did ? unreachable : env.IDENTITIES.getByName(name))
    const fetch = sendWith({ IDENTITIES: { getByName } })
    expect(await transfer(alice, assetId, did, { fetch })).toMatchObject(refused(503, 'dependency_unavailable'))
    expect(await stored(assetId)).toEqual({ owner: alice.identity.did, transfers: 0, events: [] })
    expect((await transfer(alice, assetId, did)).status).toBe(200)
  })
})

describe('an export', () => {
  it('is only for the owner, and includes its time', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const asset = assetOf()
    await mint(alice, asset)
    await transfer(alice, asset.assetId, bob.identity.did)
    const path = `/api/assets/${asset.assetId}/export`
    expect(await call(alice, 'POST', path)).toMatchObject(refused(403, 'owner_mismatch'))
    const record = await recordAt(bob, asset.assetId)
    expect(await call(bob, 'POST', path)).toMatchObject({
      status: 200,
      body: {
        data: {
          format: 'svc/asset-export/v1',
          exportedAt: expect.stringMatching(/Z$/),
          record,
          transfers: record.transfers,
          cursor: null,
        },
      },
    })
    for (const query of ['?cursor=-1', '?cursor=x', '?from=0'])
      expect((await call(bob, 'POST', path + query)).status).toBe(400)
  })
})

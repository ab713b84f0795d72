import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { call, freshCaller } from '../harness.ts'
import {
  assetOf,
  dataOf,
  freshAssetId,
  mint,
  minted,
  mintHeaderOf,
  recordAt,
  refused,
  transfer,
} from './assets.fixture.ts'

describe('a mint', () => {
  it('records the asset for the caller', async () => {
    const caller = await freshCaller()
    const asset = assetOf(freshAssetId(), {
      royalty: { receiver: caller.identity.did, bps: 250 },
      perceptual: { algo: 'pdq', hashes: ['0f'] },
      metadataHash: 'a7'.repeat(48),
    })
    const answer = await mint(caller, asset)
    expect(answer.status).toBe(200)
    expect(dataOf(answer)).toEqual({
      header: mintHeaderOf(caller, asset.assetId),
      asset,
      attestations: [],
      owner: caller.identity.did,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      updatedAt: dataOf(answer).createdAt,
    })
    expect(await recordAt(await freshCaller(), asset.assetId)).toEqual(dataOf(answer))
  })

  it('needs only the type of the media, also in the id that certifies the minter', async () => {
    const { client } = await freshCaller()
    const { asset } = await client.assets.mint({ media: { mime: 'image/png' } })
    expect(asset.media).toEqual({ mime: 'image/png' })
    const { record, proof } = await client.assets.read(asset.assetId)
    expect(record.asset).toEqual(asset)
    expect(proof.owner).toBe('proved')
    const { asset: measured } = await client.assets.mint({ media: { mime: 'image/png', bytes: 0 } })
    expect(measured.media).toEqual({ mime: 'image/png', bytes: 0 })
    expect(measured.assetId).not.toBe(asset.assetId)
  })

  it('has room for 64 perceptual hashes of full length', async () => {
    const caller = await freshCaller()
    const hashes = Array.from({ length: 64 }, (_, i) => i.toString(16).padStart(16_384, '0'))
    const asset = assetOf(freshAssetId(), { perceptual: { algo: 'tmk-pdqf-v1', hashes } })
    expect(dataOf(await mint(caller, asset)).asset).toEqual(asset)
    expect((await recordAt(caller, asset.assetId)).asset).toEqual(asset)
    const longer = { ...asset, perceptual: { algo: 'tmk-pdqf-v1' as const, hashes: ['0'.repeat(16_385)] } }
    expect(await mint(caller, longer)).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
  })

  it('repeated, returns the current record, whatever the order of its members', async () => {
    const caller = await freshCaller()
    const asset = assetOf()
    const first = await mint(caller, asset)
    const reversed = Object.fromEntries(Object.entries(mintHeaderOf(caller, asset.assetId)).toReversed())
    expect(dataOf(await mint(caller, asset))).toEqual(dataOf(first))
    const body = { asset: { media: asset.media, assetId: asset.assetId }, header: reversed }
    expect(dataOf(await call(caller, 'POST', '/api/assets/mint', body))).toEqual(dataOf(first))
    const rows = env.DB.prepare('SELECT count(*) AS n FROM assets WHERE asset_id = ?').bind(asset.assetId)
    expect(await rows.first('n')).toBe(1)
  })

  it('repeated with any difference is rejected, and changes nothing', async () => {
    const caller = await freshCaller()
    const asset = assetOf()
    const first = await mint(caller, asset)
    const later = { header: { timestamp: '2026-10-23T10:00:01Z' } }
    expect(await mint(caller, asset, later)).toMatchObject(refused(409, 'asset_exists'))
    const royal = { ...asset, royalty: { receiver: caller.identity.did, bps: 1 } }
    expect(await mint(caller, royal)).toMatchObject(refused(409, 'asset_exists'))
    expect(await recordAt(caller, asset.assetId)).toEqual(dataOf(first))
  })

  it('of an asset that another caller minted is rejected', async () => {
    const [owner, other] = [await freshCaller(), await freshCaller()]
    const asset = assetOf()
    expect((await mint(owner, asset)).status).toBe(200)
    expect(await mint(other, asset)).toMatchObject(refused(409, 'asset_exists'))
    expect((await recordAt(other, asset.assetId)).owner).toBe(owner.identity.did)
  })

  it('of an asset the caller has transferred is rejected, and returns nothing', async () => {
    const [first, second] = [await freshCaller(), await freshCaller()]
    const asset = assetOf()
    expect((await mint(first, asset)).status).toBe(200)
    expect((await transfer(first, asset.assetId, second.identity.did)).status).toBe(200)
    expect(await mint(first, asset)).toMatchObject(refused(409, 'asset_exists'))
    expect((await recordAt(first, asset.assetId)).owner).toBe(second.identity.did)
  })

  it('for another identity, or under a name that does not match the key, is rejected', async () => {
    const [caller, other] = [await freshCaller(), await freshCaller()]
    const asset = assetOf()
    for (const userId of [other.identity.userId, caller.identity.did, caller.identity.userId.toUpperCase()])
      expect(await mint(caller, asset, { header: { userId } })).toMatchObject(refused(403, 'owner_mismatch'))
    expect((await call(caller, 'GET', `/api/assets/${asset.assetId}`)).status).toBe(404)
  })

  it('with the header of another asset is rejected', async () => {
    const caller = await freshCaller()
    const [asset, other] = [assetOf(), freshAssetId()]
    expect(await mint(caller, asset, { header: { assetId: other } })).toMatchObject(refused(400, 'asset_mismatch'))
    for (const id of [asset.assetId, other]) expect((await call(caller, 'GET', `/api/assets/${id}`)).status).toBe(404)
  })

  it.each([
    ['another action', { header: { action: 'asset/transfer' } }],
    ['another member of the header', { header: { note: 'x' } }],
    ['another member of the app', { header: { app: { name: 'studio', version: '1.2.0', build: '7' } } }],
    ['an app name in capitals', { header: { app: { name: 'Studio', version: '1.2.0' } } }],
    ['a version that is none', { header: { app: { name: 'studio', version: '1.2' } } }],
    ['a time without zone', { header: { timestamp: '2026-10-23T10:00:00' } }],
  ])('with %s is refused by its schema', async (_, extras) => {
    expect(await mint(await freshCaller(), assetOf(), extras)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    })
  })

  it.each([
    ['plaintext metadata', { metadata: { title: 'x' } }],
    ['a title', { title: 'x' }],
    ['a mime in capitals', { media: { ...assetOf().media, mime: 'image/PNG' } }],
    ['a cid that is none', { media: { ...assetOf().media, cid: 'not-a-cid-at-all' } }],
    ['negative bytes', { media: { ...assetOf().media, bytes: -1 } }],
    ['too high a royalty', { royalty: { receiver: `0x${'0f'.repeat(20)}`, bps: 10_001 } }],
    ['a short commitment', { metadataHash: 'a7'.repeat(47) }],
  ])('of an asset with %s is refused by its schema', async (_, members) => {
    const asset = { ...assetOf(), ...members }
    expect(await mint(await freshCaller(), asset)).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
  })

  it('of an asset with 65 perceptual hashes is told how many it can have', async () => {
    const asset = { ...assetOf(), perceptual: { algo: 'pdq' as const, hashes: Array.from({ length: 65 }, () => '0f') } }
    expect(await mint(await freshCaller(), asset)).toMatchObject({
      status: 413,
      body: {
        code: 'invalid_request',
        message: 'body.asset.perceptual.hashes: can have at most 64 items; send fewer',
        details: { error: 'too_many_items', collection: 'body.asset.perceptual.hashes', limit: 64 },
      },
    })
  })
})

describe('an asset', () => {
  it('can be read by any identity', async () => {
    const id = await minted(await freshCaller())
    const path = `/api/assets/${id}`
    expect((await call(await freshCaller(), 'GET', path)).status).toBe(200)
    expect((await call(await freshCaller(), 'GET', path.replaceAll(':', '%3A'))).status).toBe(200)
    expect((await call(await freshCaller({ genesis: false }), 'GET', path)).status).toBe(401)
  })

  it('that was never minted is not found on any of its routes', async () => {
    const caller = await freshCaller()
    const path = `/api/assets/${freshAssetId()}`
    const receipt = { standard: 'erc721', contract: `0x${'0f'.repeat(20)}`, tokenId: '7' }
    expect(await call(caller, 'GET', path)).toMatchObject(refused(404, 'not_found'))
    expect(await call(caller, 'GET', `${path}/receipts`)).toMatchObject(refused(404, 'not_found'))
    expect(await call(caller, 'POST', `${path}/receipts`, receipt)).toMatchObject(refused(404, 'not_found'))
    expect(await call(caller, 'POST', `${path}/export`)).toMatchObject(refused(404, 'not_found'))
    expect(await transfer(caller, freshAssetId(), caller.identity.did)).toMatchObject(refused(404, 'not_found'))
  })

  it.each(['7', 'asset:sha3-384:00', `asset:sha3-384:${'0A'.repeat(48)}`, `${freshAssetId()}0`])(
    'has no such id as %s',
    async (id) => {
      const caller = await freshCaller()
      expect(await call(caller, 'GET', `/api/assets/${id}`)).toMatchObject({
        status: 400,
        body: { code: 'invalid_request' },
      })
      expect((await call(caller, 'POST', `/api/assets/${id}/export`)).status).toBe(400)
    },
  )
})

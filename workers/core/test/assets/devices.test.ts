import { mintBytes } from '@svc/protocol/ledger/asset-statements'
import { REALM } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { attestedBy } from '../governance/governance.fixture.ts'
import { freshCaller } from '../harness.ts'
import { assetOf, deviceOf, minted, mintHeaderOf, refused, stored, transferHeaderOf } from './assets.fixture.ts'

const receipt = { standard: 'erc721', contract: `0x${'0f'.repeat(20)}`, tokenId: '7' }
const FORBIDDEN = refused(403, 'capability_required')

describe('a device with assets:write', () => {
  it('mints and adds receipts for its owner, and cannot read', async () => {
    const owner = await freshCaller()
    const device = await deviceOf(owner, ['assets:write'])
    const asset = assetOf()
    const body = { header: mintHeaderOf(owner, asset.assetId), asset }
    expect(await device.request('POST', '/api/assets/mint', body)).toMatchObject({
      status: 200,
      body: { data: { owner: owner.identity.did } },
    })
    const path = `/api/assets/${asset.assetId}`
    expect((await device.request('POST', `${path}/receipts`, receipt)).status).toBe(200)
    for (const [method, at] of [
      ['GET', path],
      ['GET', `${path}/receipts`],
      ['POST', `${path}/export`],
    ] as const) {
      expect(await device.request(method, at)).toMatchObject(FORBIDDEN)
    }
  })

  it('cannot mint for anyone else, including its own key', async () => {
    const [owner, other] = [await freshCaller(), await freshCaller()]
    const device = await deviceOf(owner, ['assets:write'])
    const asset = assetOf()
    for (const userId of [other.identity.userId, device.keys.userId]) {
      const body = { header: { ...mintHeaderOf(owner, asset.assetId), userId }, asset }
      expect(await device.request('POST', '/api/assets/mint', body)).toMatchObject(refused(403, 'owner_mismatch'))
    }
  })

  it('cannot attest, only the root key can, even if a device sends the request', async () => {
    const owner = await freshCaller()
    const device = await deviceOf(owner, ['assets:write'])
    const asset = assetOf()
    const header = mintHeaderOf(owner, asset.assetId)
    const bytes = mintBytes(header, asset, REALM)
    const byDevice = { header, asset, attestations: [await attestedBy(device.keys, bytes)] }
    expect(await device.request('POST', '/api/assets/mint', byDevice)).toMatchObject(refused(403, 'unknown_signer'))
    const byRoot = { header, asset, attestations: [await attestedBy(owner.identity, bytes)] }
    expect((await device.request('POST', '/api/assets/mint', byRoot)).status).toBe(200)
  })
})

describe('a device with assets:read', () => {
  it('reads, lists receipts and exports, and cannot write', async () => {
    const owner = await freshCaller()
    const device = await deviceOf(owner, ['assets:read'])
    const path = `/api/assets/${await minted(owner)}`
    expect((await device.request('GET', path)).status).toBe(200)
    expect((await device.request('GET', `${path}/receipts`)).status).toBe(200)
    expect((await device.request('POST', `${path}/export`)).status).toBe(200)
    expect(await device.request('POST', `${path}/receipts`, receipt)).toMatchObject(FORBIDDEN)
    const asset = assetOf()
    const body = { header: mintHeaderOf(owner, asset.assetId), asset }
    expect(await device.request('POST', '/api/assets/mint', body)).toMatchObject(FORBIDDEN)
  })
})

describe('a device with every capability', () => {
  it('cannot transfer an asset', async () => {
    const [owner, recipient] = [await freshCaller(), await freshCaller()]
    const assetId = await minted(owner)
    const device = await deviceOf(owner, ['account:read', 'assets:read', 'assets:write', 'chain:append', 'chain:read'])
    const body = { header: transferHeaderOf(owner, assetId, recipient.identity.did) }
    expect(await device.request('POST', '/api/assets/transfer', body)).toMatchObject(FORBIDDEN)
    expect(await stored(assetId)).toEqual({ owner: owner.identity.did, transfers: 0, events: [] })
  })

  it('reads policies and submits signed ones, which its assertion does not authorize', async () => {
    const device = await deviceOf(await freshCaller(), [])
    expect(await device.request('GET', '/api/governance/policy')).toMatchObject(refused(404, 'not_found'))
    expect((await device.request('GET', '/api/governance/audit')).status).toBe(200)
  })
})

describe('a device without a capability', () => {
  it('cannot use assets', async () => {
    const owner = await freshCaller()
    const path = `/api/assets/${await minted(owner)}`
    const device = await deviceOf(owner, [])
    expect(await device.request('GET', path)).toMatchObject(FORBIDDEN)
    expect(await device.request('POST', `${path}/export`)).toMatchObject(FORBIDDEN)
    expect(await device.request('POST', `${path}/receipts`, receipt)).toMatchObject(FORBIDDEN)
  })
})

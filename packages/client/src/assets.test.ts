import { mintBytes, transferBytes } from '@svc/protocol/assets'
import { verifyAttestations } from '@svc/protocol/governance'
import { describe, expect, it } from 'vitest'
import { Assets } from './assets.ts'
import { Client } from './client.ts'
import { Device } from './device.ts'
import { Identity } from './identity.ts'
import { Transport } from './transport.ts'

const CORE = 'https://core.test'
const seedsOf = (byte: number) => ({ signing: new Uint8Array(32).fill(byte), kem: new Uint8Array(64).fill(byte) })
const alice = await Identity.fromSeeds(seedsOf(1))
const bob = await Identity.fromSeeds(seedsOf(2))
const app = { name: 'studio', version: '1.2.0' }
const assetId = `asset:sha3-384:${'0a'.repeat(48)}`
const otherId = `asset:sha3-384:${'0b'.repeat(48)}`
const assetOf = (id: string) => ({
  assetId: id,
  media: { mime: 'image/png', bytes: 12, cid: `bafkrei${'a2'.repeat(26)}` },
})
const header = { userId: alice.userId, timestamp: '2026-09-21T14:13:20.000Z', app }
const recordOf = (id: string) => ({
  header: { ...header, assetId: id, action: 'asset/mint' },
  asset: assetOf(id),
  attestations: [],
  owner: alice.did,
  createdAt: '2026-10-23T10:00:00Z',
  updatedAt: '2026-10-23T10:00:00Z',
})
const pageOf = (cursor: string | null, id = assetId) => ({
  format: 'svc/asset-export/v1',
  exportedAt: '2026-10-23T10:00:00Z',
  record: recordOf(id),
  transfers: [],
  cursor,
})

const RECEIPT = { standard: 'erc721' as const, contract: `0x${'0f'.repeat(20)}`, tokenId: '7' }
interface Sent {
  readonly attestations: Parameters<typeof verifyAttestations>[0]
}

/** Core as it answers one thing after the other, and the last of them for ever. */
function answering(...answers: unknown[]) {
  const requests: Request[] = []
  const fetch = (request: Request) => {
    requests.push(request)
    const data = answers[Math.min(requests.length, answers.length) - 1]
    return Promise.resolve(Response.json({ success: true, data }))
  }
  const transport = new Transport({ fetch, now: () => 1_790_000_000_000 }, alice)
  return { requests, assets: new Assets(transport, CORE, alice, app) }
}

describe('mint and transfer', () => {
  it('send a header in the caller’s name, and the attestation of the root key', async () => {
    const { assets, requests } = answering(recordOf(assetId))
    await assets.mint(assetOf(assetId))
    await assets.transfer(assetId, bob.did)
    const minted = { ...header, assetId, action: 'asset/mint' as const }
    const moved = { ...header, assetId, action: 'asset/transfer' as const, to: bob.did }
    const [mint, transfer] = await Promise.all(requests.map((request) => request.json<Sent>()))
    expect(mint).toMatchObject({ header: minted, asset: assetOf(assetId) })
    expect(transfer).toMatchObject({ header: moved })
    const signed = { ok: true, value: [alice.userId] }
    expect(await verifyAttestations(mint!.attestations, mintBytes(minted, assetOf(assetId)))).toEqual(signed)
    expect(await verifyAttestations(transfer!.attestations, transferBytes(moved))).toEqual(signed)
  })

  it('send nothing that the schema refuses', async () => {
    const { assets, requests } = answering(recordOf(assetId))
    await expect(assets.mint(assetOf('asset:7'))).rejects.toThrow()
    await expect(assets.transfer(assetId, 'did:web:example.com')).rejects.toThrow()
    await expect(async () => assets.addReceipt(assetId, { ...RECEIPT, tokenId: '07' })).rejects.toThrow()
    expect(requests).toEqual([])
  })

  it('are not for a device', async () => {
    const device = await Device.fromSeeds(seedsOf(3), { origin: 'app:testing', capabilities: ['assets:write'] })
    expect(() => new Client({ core: CORE, did: 'https://did.test', device }).assets).toThrow('by the root key')
  })
})

describe('an answer', () => {
  it('about another asset is not taken', async () => {
    const { assets } = answering(recordOf(otherId))
    const message = 'core answered for another asset'
    await expect(assets.read(assetId)).rejects.toThrow(message)
    await expect(assets.mint(assetOf(assetId))).rejects.toThrow(message)
    await expect(assets.transfer(assetId, bob.did)).rejects.toThrow(message)
    await expect(assets.addReceipt(assetId, RECEIPT)).rejects.toThrow(message)
    await expect(answering(pageOf(null, otherId)).assets.export(assetId)).rejects.toThrow(message)
    await expect(answering({ assetId: otherId, receipts: [] }).assets.receipts(assetId)).rejects.toThrow(message)
  })

  it('with plaintext metadata is not taken', async () => {
    const record = { ...recordOf(assetId), asset: { ...assetOf(assetId), title: 'x' } }
    await expect(answering(record).assets.read(assetId)).rejects.toThrow()
  })
})

describe('export', () => {
  it('follows the cursor to the end', async () => {
    const { assets, requests } = answering(pageOf('128'), pageOf('256'), pageOf(null))
    expect(await assets.export(assetId)).toEqual({ record: recordOf(assetId), transfers: [] })
    expect(requests.map(({ url }) => new URL(url).search)).toEqual(['?cursor=0', '?cursor=128', '?cursor=256'])
  })

  it.each(['0', '-1', 'x'])('stops at a page whose next is %s, which leads in a circle', async (cursor) => {
    const { assets, requests } = answering(pageOf(cursor))
    await expect(assets.export(assetId)).rejects.toThrow('the service answers in a circle')
    expect(requests).toHaveLength(1)
  })
})

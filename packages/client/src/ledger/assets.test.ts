import {
  assetIdOf,
  mintBytes,
  mintEventHash,
  transferBytes,
  transferEventHash,
} from '@svc/protocol/ledger/asset-statements'
import type { AssetRecord, AssetTransferEvent } from '@svc/protocol/ledger/assets'
import { type GovernanceAttestation, verifyAttestations } from '@svc/protocol/ledger/attestations'
import { describe, expect, it } from 'vitest'
import { fetchOf } from '../../test/fetch.ts'
import { KeyHistory } from '../chain/key-history.ts'
import { Device } from '../identity/device.ts'
import { Identity } from '../identity/identity.ts'
import { Transport } from '../transport/transport.ts'
import { Assets } from './assets.ts'
import { attestationBy } from './attestation.ts'
import { verifyAsset } from './verify-asset.ts'

const CORE = 'https://core.test'
const NOW = 1_790_000_000_000
const TIME = '2026-09-21T14:13:20.000Z'
const seedsOf = (byte: number) => ({ signing: new Uint8Array(32).fill(byte), kem: new Uint8Array(32).fill(byte) })
const alice = await Identity.fromSeeds(seedsOf(1))
const bob = await Identity.fromSeeds(seedsOf(2))
const app = { name: 'studio', version: '1.2.0' }
const unnamed = { media: { mime: 'image/png', bytes: 12, cid: `bafkrei${'a2'.repeat(26)}` } }
const assetId = await assetIdOf(alice.scope, unnamed)
const otherId = await assetIdOf(bob.scope, unnamed)
const asset = { assetId, ...unnamed }

const headerOf = ({ userId }: Identity, id: string) => ({ userId, assetId: id, timestamp: TIME, app })
const mintHeader = { ...headerOf(alice, assetId), action: 'asset/mint' as const }
const signed = (identity: Identity, bytesAt: (issuedAt: number) => Uint8Array): Promise<GovernanceAttestation> =>
  attestationBy(identity, bytesAt, NOW)

const record: AssetRecord = {
  header: mintHeader,
  asset,
  attestations: [await signed(alice, mintBytes(mintHeader, asset, CORE))],
  owner: alice.did,
  createdAt: TIME,
  updatedAt: TIME,
}
const unsigned: AssetRecord = { ...record, attestations: [] }
const other: AssetRecord = {
  ...record,
  header: { ...mintHeader, assetId: otherId },
  asset: { ...asset, assetId: otherId },
}

/** A transfer from Alice to Bob, signed at this place. */
async function moved(position: number, previousEventHash: string): Promise<AssetTransferEvent> {
  const header = { ...headerOf(alice, assetId), action: 'asset/transfer' as const, to: bob.did }
  const place = { previousOwner: alice.did, position, previousEventHash }
  const attestations = [await signed(alice, transferBytes(header, place, CORE))]
  return { header, attestations, previousOwner: alice.did, newOwner: bob.did, occurredAt: TIME }
}
const first = await moved(0, await mintEventHash(record))
const transferred: AssetRecord = { ...record, owner: bob.did, transfers: [first] }

interface Page {
  readonly record?: AssetRecord
  readonly transfers?: readonly AssetTransferEvent[]
  readonly position?: number
  readonly count?: number
  readonly cursor?: string | null
}
const pageOf = (members: Page = {}) => {
  const page = { transfers: [], position: 0, count: 0, cursor: null, record, ...members }
  return { format: 'svc/asset-export/v1', exportedAt: TIME, ...page }
}

const RECEIPT = { standard: 'erc721' as const, contract: `0x${'0f'.repeat(20)}`, tokenId: '7' }
interface Sent {
  readonly attestations: readonly GovernanceAttestation[]
}

/** Core as it answers one thing after the other, and the last of them for ever. */
function answering(...answers: unknown[]) {
  const requests: Request[] = []
  const fetch = (request: Request) => {
    requests.push(request)
    const data = answers[Math.min(requests.length, answers.length) - 1]
    return Promise.resolve(Response.json({ success: true, data }))
  }
  const transport = new Transport({ realm: CORE, fetch: fetchOf(fetch), now: () => NOW }, alice)
  return {
    requests,
    assets: new Assets(transport, CORE, { owner: alice, app, keys: new KeyHistory(transport, CORE) }),
  }
}

describe('mint', () => {
  it('sends the id that certifies the minter, and the signature of the root key', async () => {
    const { assets, requests } = answering(record)
    expect(await assets.mint(unnamed)).toEqual(record)
    const sent = await requests[0]!.json<Sent>()
    expect(sent).toMatchObject({ header: mintHeader, asset })
    const bytes = mintBytes(mintHeader, asset, CORE)
    expect(await verifyAttestations(sent.attestations, bytes)).toEqual({ ok: true, value: [alice.userId] })
  })

  it('is idempotent: takes the record of an earlier mint, however often the asset has moved since', async () => {
    const back = { ...first, previousOwner: bob.did, newOwner: alice.did }
    const again = { ...record, transfers: Array.from({ length: 128 }, () => back) }
    expect(await answering(again).assets.mint(unnamed)).toEqual(again)
  })

  it('takes no record that does not prove the mint', async () => {
    await expect(answering(unsigned).assets.mint(unnamed)).rejects.toThrow('does not prove the mint')
  })

  it('sends nothing that the schema refuses, and no id of its caller', async () => {
    const { assets, requests } = answering(record)
    await expect(assets.mint({ media: { ...unnamed.media, mime: 'PNG' } })).rejects.toThrow()
    await expect(assets.mint(asset)).rejects.toThrow()
    expect(requests).toEqual([])
  })
})

describe('transfer', () => {
  it('signs the place after the events that core shows', async () => {
    const { assets, requests } = answering(record, transferred)
    expect(await assets.transfer(assetId, bob.did)).toEqual(transferred)
    const sent = await requests[1]!.json<Sent>()
    const place = { previousOwner: alice.did, position: 0, previousEventHash: await mintEventHash(record) }
    const bytes = transferBytes(first.header, place, CORE)
    expect(await verifyAttestations(sent.attestations, bytes)).toEqual({ ok: true, value: [alice.userId] })
  })

  it('asks for the count if the record has only the newest transfers', async () => {
    const shown = { ...record, transfers: Array.from({ length: 128 }, () => first) }
    const { assets, requests } = answering(shown, pageOf({ record: shown, count: 300, cursor: '128' }), shown)
    await assets.transfer(assetId, bob.did)
    const sent = await requests[2]!.json<Sent>()
    const place = { previousOwner: alice.did, position: 300, previousEventHash: await transferEventHash(first) }
    const bytes = transferBytes(first.header, place, CORE)
    expect(await verifyAttestations(sent.attestations, bytes)).toMatchObject({ ok: true })
  })

  it('takes no record without the transfer', async () => {
    const another = { ...first, header: { ...first.header, to: alice.did } }
    for (const answer of [record, { ...record, transfers: [another] }]) {
      await expect(answering(record, answer).assets.transfer(assetId, bob.did)).rejects.toThrow(
        'did not record the transfer',
      )
    }
  })

  it('sends nothing that the schema refuses', async () => {
    const { assets, requests } = answering(record)
    await expect(assets.transfer(assetId, 'did:web:example.com')).rejects.toThrow()
    await expect(async () => assets.addReceipt(assetId, { ...RECEIPT, tokenId: '07' })).rejects.toThrow()
    expect(requests).toEqual([])
  })
})

describe('the assets of a device', () => {
  it('are read by it, and minted and transferred by the root key alone', async () => {
    const device = await Device.fromSeeds(seedsOf(3), { origin: 'app:testing', capabilities: ['assets:read'] })
    const requests: Request[] = []
    const fetch = (request: Request) => {
      requests.push(request)
      return Promise.resolve(Response.json({ success: true, data: record }))
    }
    const transport = new Transport({ realm: CORE, fetch: fetchOf(fetch), now: () => NOW }, alice)
    const keys = new KeyHistory(transport, CORE)
    const assets = new Assets(transport, CORE, { owner: device, app, keys })
    expect((await assets.read(assetId)).proof).toMatchObject({ owner: 'proved', did: alice.did })
    requests.length = 0
    await expect(assets.mint(unnamed)).rejects.toThrow('use the root key')
    await expect(assets.transfer(assetId, bob.did)).rejects.toThrow('use the root key')
    expect(requests).toEqual([])
  })
})

describe('read', () => {
  const proofOf = async (answer: AssetRecord) => (await answering(answer).assets.read(assetId)).proof

  it('says that the owner is proved', async () => {
    const minter = alice.did
    expect(await answering(record).assets.read(assetId)).toEqual({
      record,
      proof: { owner: 'proved', did: minter, minter },
    })
    expect(await proofOf(transferred)).toEqual({ owner: 'proved', did: bob.did, minter })
  })

  it('says so as well if core does not know the keys of the owner', async () => {
    const stranger = { ...record, header: { ...mintHeader, userId: bob.userId } }
    const fetch = ({ url }: Request) =>
      Promise.resolve(
        url.includes('/history')
          ? Response.json({ success: false, error: 'not_found' }, { status: 404 })
          : Response.json({ success: true, data: stranger }),
      )
    const transport = new Transport({ realm: CORE, fetch: fetchOf(fetch), now: () => NOW }, alice)
    const assets = new Assets(transport, CORE, { owner: alice, app, keys: new KeyHistory(transport, CORE) })
    expect((await assets.read(assetId)).proof).toEqual({
      owner: 'claimed',
      did: alice.did,
      reason: 'id_not_certified',
    })
  })

  it('says that the owner is only claimed, and why', async () => {
    const claimed = { owner: 'claimed', did: alice.did }
    expect(await proofOf(unsigned)).toEqual({ ...claimed, reason: 'mint_unsigned' })
    const { attestations: _, ...event } = first
    const bare = { ...transferred, transfers: [{ ...event, attestations: [] }] }
    expect(await proofOf(bare)).toEqual({ owner: 'claimed', did: bob.did, reason: 'transfer_unsigned', position: 0 })
    const many = { ...record, transfers: Array.from({ length: 128 }, () => first) }
    expect(await proofOf(many)).toEqual({ ...claimed, reason: 'history_incomplete' })
  })
})

describe('an answer', () => {
  it('of another form is not taken, and one with a member of a later version is', async () => {
    const misshapen = { ...record, asset: { ...asset, media: { mime: 1 } } }
    await expect(answering(misshapen).assets.read(assetId)).rejects.toThrow()
    const later = { ...record, later: { a: 1 } }
    expect(await answering(later).assets.read(assetId)).toMatchObject({ record: later, proof: { owner: 'proved' } })
  })

  it('about another asset is not taken', async () => {
    const { assets } = answering(other)
    const message = 'Core answered for a different asset'
    await expect(assets.read(assetId)).rejects.toThrow(message)
    await expect(assets.mint(unnamed)).rejects.toThrow(message)
    await expect(assets.transfer(assetId, bob.did)).rejects.toThrow(message)
    await expect(assets.addReceipt(assetId, RECEIPT)).rejects.toThrow(message)
    await expect(answering(pageOf({ record: other })).assets.export(assetId)).rejects.toThrow(message)
    await expect(answering({ assetId: otherId, receipts: [] }).assets.receipts(assetId)).rejects.toThrow(message)
    await expect(answering({ assetId: otherId, displaced: null }).assets.displaced(assetId)).rejects.toThrow(message)
  })
})

describe('export', () => {
  it('follows the cursor to the end, and proves the owner', async () => {
    const back = { ...first, newOwner: alice.did }
    const pages = [
      pageOf({ record: transferred, transfers: [first], cursor: '1', count: 2 }),
      pageOf({ record: transferred, transfers: [back], position: 1, count: 2 }),
    ]
    const { assets, requests } = answering(...pages)
    const { transfers, proof } = await assets.export(assetId)
    expect(transfers).toEqual([first, back])
    expect(proof).toEqual({ owner: 'claimed', did: bob.did, reason: 'transfer_unsigned', position: 1 })
    expect(requests.map(({ url }) => new URL(url).search)).toEqual(['?cursor=0', '?cursor=1'])
    const whole = await answering(pageOf({ record: transferred, transfers: [first], count: 1 })).assets.export(assetId)
    expect(whole.proof).toMatchObject({ owner: 'proved', did: bob.did })
    const context = { realms: [CORE] as const, rootKeysOf: () => Promise.reject(new Error('asked')) }
    expect(await verifyAsset(whole, context)).toEqual(whole.proof)
    await expect(verifyAsset(whole, { ...context, realms: ['https://other.test'] })).rejects.toMatchObject({
      subject: 'asset',
      reason: 'mint_unsigned',
    })
  })

  it.each(['0', '-1', 'x'])('stops at a page whose next is %s, which leads in a circle', async (cursor) => {
    const { assets, requests } = answering(pageOf({ cursor }))
    await expect(assets.export(assetId)).rejects.toThrow('The service repeats pages')
    expect(requests).toHaveLength(1)
  })

  it('refuses a page that leaves out transfers', async () => {
    const { assets } = answering(pageOf({ transfers: [first], cursor: '2' }), pageOf({ position: 2 }))
    await expect(assets.export(assetId)).rejects.toThrow('The service left out transfers')
  })
})

describe('displaced', () => {
  it('is null, or the record that was displaced, with all its transfers', async () => {
    expect(await answering({ assetId, displaced: null }).assets.displaced(assetId)).toBeNull()
    const displacedOf = (members: object) => ({
      assetId,
      displaced: { record: unsigned, displacedAt: TIME, transfers: [first], count: 2, ...members },
    })
    const { assets, requests } = answering(
      displacedOf({ position: 0, cursor: '1' }),
      displacedOf({ position: 1, cursor: null }),
    )
    expect(await assets.displaced(assetId)).toEqual({ record: unsigned, displacedAt: TIME, transfers: [first, first] })
    expect(requests.map(({ url }) => new URL(url).pathname + new URL(url).search)).toEqual([
      `/api/assets/${assetId}/history?cursor=0`,
      `/api/assets/${assetId}/history?cursor=1`,
    ])
  })
})

import { describe, expect, it } from 'vitest'
import { encodeBase64url } from '../base/base64url.ts'
import { userIdOfKey } from '../base/identity.ts'
import { type Signer, signerOf } from '../chain/chain.fixture.ts'
import { type AssetEvents, type OwnerProof, proveOwner } from './asset-proof.ts'
import {
  assetIdOf,
  certifiesMinter,
  mintBytes,
  mintEventHash,
  mintStatementSchema,
  transferBytes,
  transferEventHash,
  transferStatementSchema,
} from './asset-statements.ts'
import type { AssetCore, AssetRecord, AssetTransferEvent } from './assets.ts'
import type { BytesAt, GovernanceAttestation } from './attestations.ts'

const REALM = 'https://core.test'
const TIME = '2026-10-23T10:00:00.000Z'
const AT = Date.parse(TIME)
const app = { name: 'studio', version: '1.2.0' }
const core = { media: { mime: 'image/png', bytes: 12, cid: `bafkrei${'a2'.repeat(26)}` } }
const [alice, bob, carol, mallory] = await Promise.all([1, 2, 3, 4].map(signerOf))
/** Alice after a rotation: another key for the same DID. */
const rotated = { ...(await signerOf(5)), did: alice!.did, scope: alice!.scope }

const keysOf = ({ ownerPublicKey }: Signer) => ({
  userId: userIdOfKey(ownerPublicKey),
  publicKeyB64u: ownerPublicKey,
})
const context = {
  realms: [REALM],
  rootKeysOf: async (did: string) => (did === alice!.did ? [keysOf(alice!), keysOf(rotated)] : []),
}

async function by({ ownerPublicKey, sign }: Signer, bytes: BytesAt): Promise<GovernanceAttestation> {
  const signatureB64u = encodeBase64url(await sign(bytes(AT)))
  return { alg: 'ml-dsa-65', publicKeyB64u: ownerPublicKey, signatureB64u, signedAt: TIME }
}
const headerOf = ({ ownerPublicKey }: Signer, assetId: string) => ({
  userId: userIdOfKey(ownerPublicKey),
  assetId,
  timestamp: TIME,
  app,
})

interface Options {
  readonly realm?: string
  /** Whose scope the id names; the minter's by default. */
  readonly scope?: string
  /** Who attests; the minter or owner by default, null for nobody. */
  readonly signer?: Signer | null
}

async function minted(minter: Signer, { realm = REALM, scope = minter.scope, signer = minter }: Options = {}) {
  const assetId = await assetIdOf(scope, core)
  const [asset, header] = [
    { assetId, ...core },
    { ...headerOf(minter, assetId), action: 'asset/mint' as const },
  ]
  const attestations = signer ? [await by(signer, mintBytes(header, asset, realm))] : []
  const record = { header, asset, attestations, owner: minter.did, createdAt: TIME, updatedAt: TIME }
  return { record, transfers: [] }
}

/** Moves an asset from its owner, or shows a transfer that `members` changed after it was signed. */
async function moved(
  { record, transfers }: AssetEvents,
  from: Signer,
  to: Signer,
  { realm = REALM, signer = from, members = {} }: Options & { readonly members?: object } = {},
): Promise<AssetEvents> {
  const header = { ...headerOf(from, record.asset.assetId), action: 'asset/transfer' as const, to: to.did }
  const last = transfers.at(-1)
  const previousEventHash = last ? await transferEventHash(last) : await mintEventHash(record)
  const place = { previousOwner: from.did, position: transfers.length, previousEventHash }
  const attestations = signer ? [await by(signer, transferBytes(header, place, realm))] : []
  const event = { header, attestations, previousOwner: from.did, newOwner: to.did, occurredAt: TIME, ...members }
  return { record: { ...record, owner: to.did }, transfers: [...transfers, event] }
}
const claimed = (did: string, reason: string, more: object = {}) => ({ owner: 'claimed', did, reason, ...more })
const proofOf = (events: AssetEvents): Promise<OwnerProof> => proveOwner(events, context)

const mint = await minted(alice!)
const toBob = await moved(mint, alice!, bob!)
const toCarol = await moved(toBob, bob!, carol!)

describe('assetIdOf', () => {
  it('certifies the scope and every member of the core', async () => {
    const asset: AssetCore = { assetId: await assetIdOf(alice!.scope, core), ...core }
    expect(await certifiesMinter(asset, alice!.scope)).toBe(true)
    expect(await certifiesMinter(asset, mallory!.scope)).toBe(false)
    for (const change of [{ media: { ...core.media, bytes: 13 } }, { metadataHash: 'a7'.repeat(48) }])
      expect(await certifiesMinter({ ...asset, ...change }, alice!.scope)).toBe(false)
  })
})

describe('the statements of mint and transfer', () => {
  const read = (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes)) as object

  it('name realm, place and time', () => {
    const [event] = toBob.transfers
    const place = { previousOwner: alice!.did, position: 0, previousEventHash: 'a7'.repeat(48) }
    const { realm: _, ...moving } = read(transferBytes(event!.header, place, REALM)(AT)) as { realm: string }
    expect(moving).toMatchObject({ ...place, newOwner: bob!.did, issuedAt: AT, header: event!.header })
    const { realm, ...minting } = read(mintBytes(mint.record.header, mint.record.asset, REALM)(AT)) as { realm: string }
    expect(realm).toBe(REALM)
    expect(mintStatementSchema.shape.type.value).toBe('svc/asset-mint/v1')
    expect(transferStatementSchema.shape.type.value).toBe('svc/asset-transfer/v1')
    expect(minting).toMatchObject({ header: mint.record.header, asset: mint.record.asset, issuedAt: AT })
  })
})

describe('the owner of an asset', () => {
  it('is proved from the id over every transfer', async () => {
    const minter = alice!.did
    expect(await proofOf(mint)).toEqual({ owner: 'proved', did: minter, minter })
    expect(await proofOf(toBob)).toEqual({ owner: 'proved', did: bob!.did, minter })
    expect(await proofOf(toCarol)).toEqual({ owner: 'proved', did: carol!.did, minter })
    const home = await moved(toCarol, carol!, alice!)
    expect(await proofOf(home)).toEqual({ owner: 'proved', did: minter, minter })
  })

  it('is proved by a key of a later epoch', async () => {
    const later = await minted(rotated)
    expect(await proofOf(later)).toMatchObject({ owner: 'proved', minter: alice!.did })
    expect(await proofOf(await moved(mint, rotated, bob!))).toMatchObject({ owner: 'proved', did: bob!.did })
    const unknown = { ...(await signerOf(6)), did: alice!.did, scope: alice!.scope }
    expect(await proofOf(await minted(unknown))).toEqual(claimed(alice!.did, 'id_not_certified'))
  })

  it('is claimed if the id does not certify the minter', async () => {
    const squatted = await minted(mallory!, { scope: alice!.scope })
    expect(await proofOf(squatted)).toEqual(claimed(mallory!.did, 'id_not_certified'))
    const renamed = { ...mint, record: { ...mint.record, owner: mallory!.did } }
    expect(await proofOf(renamed)).toEqual(claimed(mallory!.did, 'id_not_certified'))
    const { asset } = mint.record
    const changed = { ...mint, record: { ...mint.record, asset: { ...asset, metadataHash: 'a7'.repeat(48) } } }
    expect(await proofOf(changed)).toEqual(claimed(alice!.did, 'id_not_certified'))
  })

  it.each<[string, () => Promise<AssetEvents>]>([
    ['nobody', () => minted(alice!, { signer: null })],
    ['somebody else', () => minted(alice!, { signer: mallory! })],
    ['the minter, for another deployment', () => minted(alice!, { realm: 'https://staging.test' })],
  ])('is claimed if the mint was signed by %s', async (_, make) => {
    expect(await proofOf(await make())).toEqual(claimed(alice!.did, 'mint_unsigned'))
  })

  it.each<[string, object]>([
    ['without its time', { signedAt: undefined }],
    ['with another time', { signedAt: '2026-10-23T10:00:00.001Z' }],
    ['with a key that is none', { publicKeyB64u: 'AAAA' }],
  ])('is claimed if the attestation of the mint is shown %s', async (_, change) => {
    const attestations = mint.record.attestations.map((attestation) => ({ ...attestation, ...change }))
    const record = { ...mint.record, attestations } as AssetRecord
    expect(await proofOf({ ...mint, record })).toEqual(claimed(alice!.did, 'mint_unsigned'))
  })

  it.each<[string, Options & { readonly members?: object }]>([
    ['nobody', { signer: null }],
    ['the recipient', { signer: carol! }],
    ['the owner, for another deployment', { realm: 'https://staging.test' }],
    ['the owner, to somebody else', { members: { newOwner: mallory!.did } }],
    ['the owner, whose name was changed', { members: { previousOwner: carol!.did } }],
  ])('is claimed if a transfer was signed by %s', async (_, options) => {
    const events = await moved(toBob, bob!, carol!, options)
    expect(await proofOf(events)).toEqual(claimed(carol!.did, 'transfer_unsigned', { position: 1 }))
  })

  it('is claimed if the transfers lead to another owner', async () => {
    const record = { ...toBob.record, owner: mallory!.did }
    expect(await proofOf({ ...toBob, record })).toEqual(claimed(mallory!.did, 'owner_differs'))
  })

  it('is proved in a realm that the deployment had before, if the reader accepts it', async () => {
    const events = await moved(mint, alice!, bob!, { realm: 'https://new.test' })
    expect(await proofOf(events)).toMatchObject({ owner: 'claimed' })
    const realms = ['https://new.test', REALM]
    expect(await proveOwner(events, { ...context, realms })).toMatchObject({ owner: 'proved', did: bob!.did })
  })
})

describe('an old signature of a transfer', () => {
  it('proves nothing after the asset came back: position and history differ', async () => {
    const home = await moved(toBob, bob!, alice!)
    const [first] = toBob.transfers as AssetTransferEvent[]
    const again = { record: { ...home.record, owner: bob!.did }, transfers: [...home.transfers, first!] }
    expect(await proofOf(again)).toEqual(claimed(bob!.did, 'transfer_unsigned', { position: 2 }))
  })

  it('proves nothing over another history of the same length', async () => {
    const unsigned = await moved(mint, alice!, bob!, { signer: null })
    const forged = { ...toCarol, transfers: [unsigned.transfers[0]!, toCarol.transfers[1]!] }
    expect(await proofOf(forged)).toEqual(claimed(carol!.did, 'transfer_unsigned', { position: 0 }))
    const withOtherMint = { ...toCarol, record: { ...toCarol.record, createdAt: '2026-10-23T09:00:00.000Z' } }
    expect(await proofOf(withOtherMint)).toEqual(claimed(carol!.did, 'transfer_unsigned', { position: 0 }))
  })
})

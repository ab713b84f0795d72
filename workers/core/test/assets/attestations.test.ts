import { mintBytes, transferBytes } from '@svc/protocol/ledger/asset-statements'
import { type AssetCore, MAX_MINT_BYTES } from '@svc/protocol/ledger/assets'
import { type GovernanceAttestation, verifyAttestations } from '@svc/protocol/ledger/attestations'
import { REALM, type TestCaller } from '@svc/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  attestedBy,
  forgetPolicies,
  found,
  freshSigners,
  policyOf,
  type Signer,
} from '../governance/governance.fixture.ts'
import { call, freshCaller } from '../harness.ts'
import {
  assetOf,
  certifiedAsset,
  dataOf,
  mint,
  minted,
  mintHeaderOf,
  nextPlace,
  recordAt,
  refused,
  stored,
  transfer,
  transferBytesOf,
  transferHeaderOf,
} from './assets.fixture.ts'

let signers: Signer[] = []

beforeAll(async () => {
  signers = await freshSigners(16)
  await found(policyOf(signers, { threshold: 2 }))
})

const bytesOf = (caller: TestCaller, asset: AssetCore) => mintBytes(mintHeaderOf(caller, asset.assetId), asset, REALM)
const attested = async (caller: TestCaller, asset: AssetCore, by: readonly Signer[]) =>
  Promise.all(by.map((signer) => attestedBy(signer, bytesOf(caller, asset))))

describe('the attestations of a mint', () => {
  it('are stored with the record, by the root key and any signers of the policy', async () => {
    const caller = await freshCaller()
    for (const by of [[caller.identity], signers.slice(0, 1), [signers[3]!, caller.identity, signers[1]!]]) {
      const asset = assetOf()
      const attestations = await attested(caller, asset, by)
      const answer = await mint(caller, asset, { attestations })
      expect(answer.status).toBe(200)
      expect(dataOf(answer).attestations).toEqual(attestations)
      expect((await recordAt(caller, asset.assetId)).attestations).toEqual(attestations)
    }
  })

  it('are added by the SDK with the root key, on mint and transfer', async () => {
    const [caller, recipient] = [await freshCaller(), await freshCaller()]
    const { assetId, ...unnamed } = await certifiedAsset(caller)
    const { header, asset, attestations } = await caller.client.assets.mint(unnamed)
    expect(asset.assetId).toBe(assetId)
    const key = caller.identity.publicKeyB64u
    expect(attestations.map(({ publicKeyB64u }) => publicKeyB64u)).toEqual([key])
    expect(await verifyAttestations(attestations, mintBytes(header, asset, REALM))).toMatchObject({ ok: true })
    const place = await nextPlace(caller, assetId)
    const { transfers = [] } = await caller.client.assets.transfer(assetId, recipient.identity.did)
    const [moved] = transfers
    expect(moved?.attestations.map(({ publicKeyB64u }) => publicKeyB64u)).toEqual([key])
    const bytes = transferBytes(moved!.header, place, REALM)
    expect(await verifyAttestations(moved!.attestations, bytes)).toMatchObject({ ok: true })
  })

  it('can be by every eligible key: the root key and sixteen signers', async () => {
    const caller = await freshCaller()
    const asset = assetOf()
    const attestations = await attested(caller, asset, [caller.identity, ...signers])
    expect(dataOf(await mint(caller, asset, { attestations })).attestations).toHaveLength(17)
  })

  it('are those of the first mint when it is repeated', async () => {
    const caller = await freshCaller()
    const asset = assetOf()
    const first = await attested(caller, asset, [caller.identity])
    expect((await mint(caller, asset, { attestations: first })).status).toBe(200)
    expect(dataOf(await mint(caller, asset)).attestations).toEqual(first)
  })

  it('are rejected if an outsider signed, even beside valid ones', async () => {
    const caller = await freshCaller()
    const [outsider] = await freshSigners(1)
    const asset = assetOf()
    for (const by of [[outsider!], [caller.identity, outsider!], [(await freshCaller()).identity]]) {
      const attestations = await attested(caller, asset, by)
      expect(await mint(caller, asset, { attestations })).toMatchObject(refused(403, 'unknown_signer'))
    }
    expect((await call(caller, 'GET', `/api/assets/${asset.assetId}`)).status).toBe(404)
  })

  it('are rejected if one key signs twice', async () => {
    const caller = await freshCaller()
    const asset = assetOf()
    for (const signer of [caller.identity, signers[0]!]) {
      const attestations = await attested(caller, asset, [signer, signer])
      expect(await mint(caller, asset, { attestations })).toMatchObject(refused(400, 'duplicate_signer'))
    }
  })

  it('are rejected if a signature is over another asset, header or act', async () => {
    const caller = await freshCaller()
    const [asset, other] = [assetOf(), assetOf()]
    const { identity } = caller
    const header = mintHeaderOf(caller, asset.assetId)
    const later = { ...header, timestamp: '2026-10-23T10:00:01Z' }
    const moved = transferHeaderOf(caller, asset.assetId, identity.did)
    const wrong = [
      bytesOf(caller, other),
      mintBytes(later, asset, REALM),
      mintBytes(header, { ...asset, metadataHash: 'a7'.repeat(48) }, REALM),
      mintBytes(header, asset, 'https://core.staging.test'),
      transferBytes(moved, await nextPlace(caller, asset.assetId), REALM),
      new TextEncoder().encode(JSON.stringify(asset)),
    ]
    for (const bytes of wrong) {
      const attestations = [await attestedBy(identity, bytes)]
      expect(await mint(caller, asset, { attestations })).toMatchObject(refused(403, 'invalid_signature'))
    }
  })

  it('are rejected without the time that they signed', async () => {
    const caller = await freshCaller()
    const asset = assetOf()
    const [own] = await attested(caller, asset, [caller.identity])
    for (const signedAt of [undefined, '2026-10-23T10:00:01Z'])
      expect(await mint(caller, asset, { attestations: [{ ...own!, signedAt }] })).toMatchObject(
        refused(403, 'invalid_signature'),
      )
  })

  it('are rejected if a signature is another’s or malformed', async () => {
    const caller = await freshCaller()
    const asset = assetOf()
    const [own] = await attested(caller, asset, [caller.identity])
    const [byFirst, bySecond] = await attested(caller, asset, signers)
    const swapped = [{ ...byFirst!, signatureB64u: bySecond!.signatureB64u }]
    const beside = [own!, { ...byFirst!, signatureB64u: own!.signatureB64u }]
    const short = [{ ...own!, signatureB64u: 'AAAA' }]
    for (const attestations of [swapped, beside, short])
      expect(await mint(caller, asset, { attestations })).toMatchObject(refused(403, 'invalid_signature'))
  })

  it('are limited to sixty-four, which fit the body limit', async () => {
    const caller = await freshCaller()
    const asset = assetOf()
    const [own] = await attested(caller, asset, [caller.identity])
    const signedAt = `2026-10-23T10:00:00.${'0'.repeat(43)}Z`
    const many = (length: number): GovernanceAttestation[] => Array.from({ length }, () => ({ ...own!, signedAt }))
    expect(JSON.stringify(many(64)).length).toBeGreaterThan(256 * 1024)
    expect(await mint(caller, asset, { attestations: many(64) })).toMatchObject(refused(400, 'duplicate_signer'))
    expect(await mint(caller, asset, { attestations: many(65) })).toMatchObject({
      status: 413,
      body: { code: 'invalid_request' },
    })
    const huge = { ...own!, signatureB64u: 'A'.repeat(MAX_MINT_BYTES) }
    expect((await mint(caller, asset, { attestations: [huge] })).status).toBe(413)
  })
})

describe('the attestations of a transfer', () => {
  it('are stored with the event, by the root key and any signers of the policy', async () => {
    const [caller, recipient] = [await freshCaller(), await freshCaller()]
    const assetId = await minted(caller)
    const bytes = await transferBytesOf(caller, assetId, recipient.identity.did)
    const attestations = [await attestedBy(caller.identity, bytes), await attestedBy(signers[5]!, bytes)]
    const answer = await transfer(caller, assetId, recipient.identity.did, { attestations })
    expect(answer.status).toBe(200)
    expect(dataOf(answer).transfers?.map((event) => event.attestations)).toEqual([attestations])
  })

  it('are rejected with a specific error, and the asset does not move', async () => {
    const [caller, recipient] = [await freshCaller(), await freshCaller()]
    const assetId = await minted(caller)
    const { did } = recipient.identity
    const bytes = await transferBytesOf(caller, assetId, did)
    const own = await attestedBy(caller.identity, bytes)
    const byRecipient = await attestedBy(recipient.identity, bytes)
    const elsewhere = await transferBytesOf(caller, assetId, caller.identity.did)
    const cases = [
      { attestations: [byRecipient], expected: refused(403, 'unknown_signer') },
      { attestations: [own, own], expected: refused(400, 'duplicate_signer') },
      { attestations: [await attestedBy(caller.identity, elsewhere)], expected: refused(403, 'invalid_signature') },
    ]
    for (const { attestations, expected } of cases)
      expect(await transfer(caller, assetId, did, { attestations })).toMatchObject(expected)
    expect(await stored(assetId)).toEqual({ owner: caller.identity.did, transfers: 0, events: [] })
  })
})

describe('without a policy', () => {
  it('only the root key can attest', async () => {
    await forgetPolicies()
    const caller = await freshCaller()
    const asset = assetOf()
    const bySigner = await attested(caller, asset, signers.slice(0, 1))
    expect(await mint(caller, asset, { attestations: bySigner })).toMatchObject(refused(403, 'unknown_signer'))
    const own = await attested(caller, asset, [caller.identity])
    expect((await mint(caller, asset, { attestations: own })).status).toBe(200)
  })
})

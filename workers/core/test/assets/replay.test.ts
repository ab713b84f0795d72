/** Signatures of mints and transfers shown where they were not made for: later, elsewhere, by somebody else. */
import { env } from 'cloudflare:workers'
import { safeVerifyAsset } from '@svc/client/verify'
import { mintBytes, transferBytes } from '@svc/protocol/ledger/asset-statements'
import { REALM, type TestCaller } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { attestedBy } from '../governance/governance.fixture.ts'
import { freshCaller, sendWith } from '../harness.ts'
import {
  certifiedAsset,
  mint,
  mintHeaderOf,
  nextPlace,
  refused,
  stored,
  transfer,
  transferBytesOf,
  transferHeaderOf,
} from './assets.fixture.ts'

const INVALID = refused(403, 'invalid_signature')

/** An asset that Alice minted with proof. */
async function minted() {
  const [alice, bob] = [await freshCaller(), await freshCaller()]
  const { assetId: _, ...unnamed } = await certifiedAsset(alice)
  const { asset } = await alice.client.assets.mint(unnamed)
  return { alice, bob, assetId: asset.assetId }
}

const attestedTransfer = async (from: TestCaller, assetId: string, to: TestCaller) => ({
  attestations: [await attestedBy(from.identity, await transferBytesOf(from, assetId, to.identity.did))],
})

describe('Alice’s signature of a transfer to Bob', () => {
  it('does not move the asset a second time, after Bob gave it back', async () => {
    const { alice, bob, assetId } = await minted()
    const { did } = bob.identity
    const first = await attestedTransfer(alice, assetId, bob)
    expect((await transfer(alice, assetId, did, first)).status).toBe(200)
    await bob.client.assets.transfer(assetId, alice.identity.did)
    expect(await transfer(alice, assetId, did, first)).toMatchObject(INVALID)
    expect((await stored(assetId)).owner).toBe(alice.identity.did)
  })

  it('shown again by the operator, convinces no reader that Bob owns the asset', async () => {
    const { alice, bob, assetId } = await minted()
    await alice.client.assets.transfer(assetId, bob.identity.did)
    await bob.client.assets.transfer(assetId, alice.identity.did)
    expect((await bob.client.assets.read(assetId)).proof).toMatchObject({ owner: 'proved', did: alice.identity.did })
    // The operator writes Alice’s old transfer into the database as a third event.
    await env.DB.batch([
      env.DB.prepare(
        `INSERT INTO asset_transfers SELECT asset_id, proved, 2, header, attestations, previous_owner, new_owner, occurred_at
         FROM asset_transfers WHERE asset_id = ? AND position = 0`,
      ).bind(assetId),
      env.DB.prepare('UPDATE assets SET owner = ?, transfers = 3 WHERE asset_id = ?').bind(bob.identity.did, assetId),
    ])
    const expected = { owner: 'claimed', did: bob.identity.did, reason: 'transfer_unsigned', position: 2 }
    expect((await alice.client.assets.read(assetId)).proof).toEqual(expected)
    const { record, transfers, proof } = await bob.client.assets.export(assetId)
    expect(proof).toEqual(expected)
    // Nor does it help to drop what came between.
    const forged = { record, transfers: [transfers[0]!, transfers[2]!] }
    const rootKeysOf = (did: string) => alice.client.keyHistory.of(did)
    expect(await safeVerifyAsset(forged, { realms: [REALM], rootKeysOf })).toMatchObject({
      ok: false,
      error: { subject: 'asset', reason: 'transfer_unsigned', where: { position: 1 } },
    })
  })

  it.each<[string, object]>([
    ['another position', { position: 1 }],
    ['another history', { previousEventHash: 'a7'.repeat(48) }],
    ['another previous owner', { previousOwner: `did:svc:${'A'.repeat(32)}` }],
  ])('is refused if it was made for %s', async (_, members) => {
    const { alice, bob, assetId } = await minted()
    const { did } = bob.identity
    const place = { ...(await nextPlace(alice, assetId)), ...members }
    const bytes = transferBytes(transferHeaderOf(alice, assetId, did), place, REALM)
    const attestations = [await attestedBy(alice.identity, bytes)]
    expect(await transfer(alice, assetId, did, { attestations })).toMatchObject(INVALID)
    expect((await stored(assetId)).owner).toBe(alice.identity.did)
  })

  it('is refused if it was made for another deployment that she uses with the same key', async () => {
    const { alice, bob, assetId } = await minted()
    const { did } = bob.identity
    const place = await nextPlace(alice, assetId)
    const bytes = transferBytes(transferHeaderOf(alice, assetId, did), place, 'https://core.staging.test')
    const attestations = [await attestedBy(alice.identity, bytes)]
    expect(await transfer(alice, assetId, did, { attestations })).toMatchObject(INVALID)
  })

  it('is refused for an asset of the same content that she minted elsewhere at another time', async () => {
    const { alice, bob, assetId } = await minted()
    const shown = await attestedTransfer(alice, assetId, bob)
    // The id depends on content and minter alone; the transfer commits to the record of the mint.
    await env.DB.prepare('UPDATE assets SET head = ? WHERE asset_id = ? AND proved = 1')
      .bind('a7'.repeat(48), assetId)
      .run()
    expect(await transfer(alice, assetId, bob.identity.did, shown)).toMatchObject(INVALID)
  })
})

describe('Alice’s signature of a mint', () => {
  it('made before the deployment moved to another realm still proves what she minted', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const asset = await certifiedAsset(alice)
    const fetch = sendWith({ REALMS: ['https://core.moved.test', REALM] })
    const header = mintHeaderOf(alice, asset.assetId)
    const byRealm = async (realm: string) => [await attestedBy(alice.identity, mintBytes(header, asset, realm))]
    const elsewhere = await byRealm('https://core.staging.test')
    expect(await mint(alice, asset, { attestations: elsewhere, fetch })).toMatchObject(INVALID)
    expect((await mint(alice, asset, { attestations: await byRealm(REALM), fetch })).status).toBe(200)
    expect((await bob.client.assets.read(asset.assetId)).proof).toMatchObject({ owner: 'proved' })
    const { did } = bob.identity
    const place = await nextPlace(alice, asset.assetId)
    const bytes = transferBytes(transferHeaderOf(alice, asset.assetId, did), place, 'https://core.moved.test')
    const attestations = [await attestedBy(alice.identity, bytes)]
    expect(await transfer(alice, asset.assetId, did, { attestations })).toMatchObject(INVALID)
    expect((await transfer(alice, asset.assetId, did, { attestations, fetch })).status).toBe(200)
  })

  it('made for another deployment proves nothing here', async () => {
    const alice = await freshCaller()
    const asset = await certifiedAsset(alice)
    const bytes = mintBytes(mintHeaderOf(alice, asset.assetId), asset, 'https://core.staging.test')
    const attestations = [await attestedBy(alice.identity, bytes)]
    expect(await mint(alice, asset, { attestations })).toMatchObject(INVALID)
  })

  it('shown by Mallory gives Mallory nothing: the header is Alice’s', async () => {
    const [alice, mallory] = [await freshCaller(), await freshCaller()]
    const asset = await certifiedAsset(alice)
    const header = mintHeaderOf(alice, asset.assetId)
    const attestations = [await attestedBy(alice.identity, mintBytes(header, asset, REALM))]
    expect(await mint(mallory, asset, { header, attestations })).toMatchObject(refused(403, 'owner_mismatch'))
    expect(await mint(mallory, asset, { attestations })).toMatchObject(refused(403, 'unknown_signer'))
  })
})

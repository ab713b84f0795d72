import { env } from 'cloudflare:workers'
import { mlDsa65 } from '@svc/pqc'
import { didOf } from '@svc/protocol/base/identity'
import { signStatement } from '@svc/protocol/base/statement'
import { mintBytes } from '@svc/protocol/ledger/asset-statements'
import { INTERNAL_HEADER } from '@svc/service'
import { callerOf, REALM, type TestCaller } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { internalService } from '../../src/app.ts'
import { attestedBy, OPERATOR_SEED, sendAct } from '../governance/governance.fixture.ts'
import { freshCaller, send } from '../harness.ts'
import { assetOf, dataOf, mint, minted, mintHeaderOf, refused, transfer, transferBytesOf } from './assets.fixture.ts'

/** Rotates the caller’s identity by version 1, requested as the DID Worker does; returns the caller with the new key. */
async function rotated({ client, identity }: TestCaller): Promise<TestCaller> {
  const { did } = identity
  const successor = await identity.successor()
  const signed = await client.rotation.makeRequest(successor, { version: 1 })
  const headers = {
    'content-type': 'application/json',
    [INTERNAL_HEADER]: 'internal-secret-of-the-tests-only',
  }
  const url = `https://internal/api/internal/rotation/${did}?caller=${did}`
  const context = { props: { caller: 'did' }, waitUntil: () => {}, passThroughOnException: () => {} }
  const request = new Request(url, { method: 'POST', headers, body: JSON.stringify(signed) })
  const { rotationId } = await (await internalService.app.fetch(request, env, context)).json<{ rotationId: string }>()
  const nonce = crypto.randomUUID()
  const approval = {
    type: 'svc/operator-rotation-approve/v1' as const,
    realm: REALM,
    service: 'core',
    did,
    rotationId,
    nonce,
    issuedAt: Date.now(),
  }
  await sendAct(await signStatement(approval, (message) => mlDsa65.sign(OPERATOR_SEED, message)))
  await client.rotation.activate({ rotationId, version: 1 })
  return callerOf(successor, { fetch: send })
}

describe('after a rotation of the owner’s root key', () => {
  it('the asset stays with the DID: the new key reads, exports and transfers it, the old one cannot', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const assetId = await minted(alice)
    const next = await rotated(alice)
    expect((await next.client.assets.export(assetId)).record.owner).toBe(alice.identity.did)
    expect((await transfer(alice, assetId, bob.identity.did)).status).toBe(401)
    expect((await next.client.assets.transfer(assetId, bob.identity.did)).owner).toBe(bob.identity.did)
  })

  it('the new key writes under its own userId and attests on its own', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const assetId = await minted(alice)
    const next = await rotated(alice)
    const { did } = bob.identity
    const old = { header: { userId: alice.identity.userId } }
    expect(await transfer(next, assetId, did, old)).toMatchObject(refused(403, 'owner_mismatch'))
    const bytes = await transferBytesOf(next, assetId, did)
    const byOld = [await attestedBy(alice.identity, bytes)]
    expect(await transfer(next, assetId, did, { attestations: byOld })).toMatchObject(refused(403, 'unknown_signer'))
    const asset = assetOf()
    const attestations = [await attestedBy(next.identity, mintBytes(mintHeaderOf(next, asset.assetId), asset, REALM))]
    expect(dataOf(await mint(next, asset, { attestations }))).toMatchObject({ owner: alice.identity.did, attestations })
  })

  it('the new key proves mints and transfers of the same DID, and keeps what the old one proved', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const { asset: before } = await alice.client.assets.mint({ media: assetOf().media })
    const next = await rotated(alice)
    const { asset: after } = await next.client.assets.mint({ media: { ...assetOf().media, bytes: 13 } })
    const minter = alice.identity.did
    for (const { assetId } of [before, after]) {
      expect((await bob.client.assets.read(assetId)).proof).toEqual({ owner: 'proved', did: minter, minter })
      await next.client.assets.transfer(assetId, bob.identity.did)
      const { proof } = await bob.client.assets.export(assetId)
      expect(proof).toEqual({ owner: 'proved', did: bob.identity.did, minter })
    }
  })

  it('an asset is transferred to the genesis key’s DID, not to the one the new key would have', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const assetId = await minted(bob)
    const next = await rotated(alice)
    const own = didOf(next.identity.userId)
    expect(own).not.toBe(alice.identity.did)
    expect(await transfer(bob, assetId, own)).toMatchObject(refused(409, 'recipient_unknown'))
    expect((await transfer(bob, assetId, alice.identity.did)).status).toBe(200)
    expect((await next.client.assets.export(assetId)).record.owner).toBe(alice.identity.did)
  })
})

import { env } from 'cloudflare:workers'
import { mlDsa65 } from '@svc/pqc'
import { mintBytes, transferBytes } from '@svc/protocol/assets'
import { didOf } from '@svc/protocol/identity'
import { signStatement } from '@svc/protocol/statement'
import { INTERNAL_HEADER } from '@svc/service'
import { callerOf, type TestCaller } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { internalService } from '../src/app.ts'
import { assetOf, dataOf, mint, minted, mintHeaderOf, refused, transfer, transferHeaderOf } from './assets.fixture.ts'
import { attestedBy, OPERATOR_SEED, sendAct } from './governance.fixture.ts'
import { freshCaller, send } from './harness.ts'

/** Hands the caller’s identity over by version 1, opened as the DID Worker opens it; gives the caller with the new key. */
async function rotated({ client, identity }: TestCaller): Promise<TestCaller> {
  const { did } = identity
  const successor = await identity.successor()
  const signed = await client.rotation.makeRequest(successor, { version: 1 })
  const headers = {
    'content-type': 'application/json',
    [INTERNAL_HEADER]: 'internal-secret-of-the-tests-only',
  }
  const url = `https://internal/api/internal/rotation/${did}`
  const context = { props: { caller: 'did' }, waitUntil: () => {}, passThroughOnException: () => {} }
  const request = new Request(url, { method: 'POST', headers, body: JSON.stringify(signed) })
  const { rotationId } = await (await internalService.app.fetch(request, env, context)).json<{ rotationId: string }>()
  const nonce = crypto.randomUUID()
  const approval = { type: 'svc/operator-rotation-approve/v1' as const, did, rotationId, nonce, issuedAt: Date.now() }
  await sendAct(await signStatement(approval, (message) => mlDsa65.sign(OPERATOR_SEED, message)))
  await client.rotation.activate({ rotationId, version: 1 })
  return callerOf(successor, { fetch: send })
}

describe('after a rotation of the owner’s root key', () => {
  it('the asset stays the DID’s: the new key reads, exports and moves it, the old one nothing', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const assetId = await minted(alice)
    const next = await rotated(alice)
    expect((await next.client.assets.export(assetId)).record.owner).toBe(alice.identity.did)
    expect((await transfer(alice, assetId, bob.identity.did)).status).toBe(401)
    expect((await next.client.assets.transfer(assetId, bob.identity.did)).owner).toBe(bob.identity.did)
  })

  it('the new key writes under its own userId and attests by itself alone', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const assetId = await minted(alice)
    const next = await rotated(alice)
    const { did } = bob.identity
    const old = { header: { userId: alice.identity.userId } }
    expect(await transfer(next, assetId, did, old)).toMatchObject(refused(403, 'owner_mismatch'))
    const bytes = transferBytes(transferHeaderOf(next, assetId, did))
    const byOld = [await attestedBy(alice.identity, bytes)]
    expect(await transfer(next, assetId, did, { attestations: byOld })).toMatchObject(refused(403, 'unknown_signer'))
    const asset = assetOf()
    const attestations = [await attestedBy(next.identity, mintBytes(mintHeaderOf(next, asset.assetId), asset))]
    expect(dataOf(await mint(next, asset, { attestations }))).toMatchObject({ owner: alice.identity.did, attestations })
  })

  it('an asset goes to the DID of the genesis key, and not to the one that the new key would have', async () => {
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

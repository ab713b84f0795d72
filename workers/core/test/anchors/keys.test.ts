import { env } from 'cloudflare:workers'
import { Client, Device } from '@svc/client'
import { mlDsa65 } from '@svc/pqc'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import type { Capability } from '@svc/protocol/base/device'
import { signStatement } from '@svc/protocol/base/statement'
import { rotationRecordSchema } from '@svc/protocol/chain/rotation'
import { submissionBytes } from '@svc/protocol/ledger/anchor-submission'
import { INTERNAL_HEADER } from '@svc/service'
import { callerOf, fetchOf, LIST_KEYS, REALM, REALMS, signerOf, type TestCaller } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { internalService } from '../../src/app.ts'
import { OPERATOR_SEED } from '../governance/governance.fixture.ts'
import { anonymous, CORE, call, freshCaller, send } from '../harness.ts'
import { freshRoot, indexOf, LOG, submission, submit } from './anchors.fixture.ts'

/** A device of the owner with these capabilities, and a client that uses it. */
async function deviceOf({ identity, client, address }: TestCaller, ...capabilities: Capability[]) {
  const fresh = await Device.create({ origin: 'app:testing', capabilities })
  const attestation = await client.devices.attest(
    await fresh.acceptance(identity.did, { realm: REALM, now: Date.now() }),
  )
  const device = await fresh.attested(attestation, await client.keyHistory.of(identity.did), REALMS)
  const headers = { 'cf-connecting-ip': address }
  return {
    device,
    anchors: new Client({
      core: CORE,
      did: 'https://did.test',
      device,
      fetch: fetchOf(send),
      headers,
      logListKeys: LIST_KEYS,
    }).anchors,
  }
}

/** Rotates the identity to a new root key by version 1, and returns the caller with that key. */
async function rotated(caller: TestCaller): Promise<TestCaller> {
  const { identity, client } = caller
  const successor = await identity.successor()
  const response = await internalService.app.fetch(
    new Request(`https://internal/api/internal/rotation/${identity.did}?caller=${identity.did}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', [INTERNAL_HEADER]: env.SVC_INTERNAL_SECRET },
      body: JSON.stringify(await client.rotation.makeRequest(successor, { version: 1 })),
    }),
    env,
    { props: { caller: 'did' }, waitUntil: () => {}, passThroughOnException: () => {} },
  )
  const rotation = rotationRecordSchema.parse(await response.json())
  const statement = {
    type: 'svc/operator-rotation-approve/v1' as const,
    realm: REALM,
    service: 'core',
    did: identity.did,
    rotationId: rotation.rotationId,
    nonce: crypto.randomUUID(),
    issuedAt: Date.now(),
  }
  const act = await signStatement(statement, (message) => mlDsa65.sign(OPERATOR_SEED, message))
  expect((await anonymous('POST', '/api/operator/acts', act)).status).toBe(200)
  await client.rotation.activate(rotation)
  return callerOf(successor, { fetch: send })
}

describe('a device', () => {
  it('submits for its owner what the root key has attested', async () => {
    const owner = await freshCaller()
    const { anchors } = await deviceOf(owner, 'anchors:submit')
    const root = freshRoot()
    const attestations = [await owner.client.anchors.attest(root, 'e')]
    const record = await anchors.submit({ root, epoch: 'e', attestations })
    expect(record).toMatchObject({ owner: owner.identity.did, attestations, status: 'submitted' })
    expect(await owner.client.anchors.submit({ root, epoch: 'e' })).toEqual(record)
  })

  it('cannot attest', async () => {
    const { device, anchors } = await deviceOf(await freshCaller(), 'anchors:submit')
    const root = freshRoot()
    await expect(anchors.attest(root, 'e')).rejects.toThrow(new TypeError('Only a root key can attest a submission'))
    await expect(anchors.submit({ root, epoch: 'e' })).rejects.toThrow(TypeError)
    const issuedAt = Date.now()
    const bytes = submissionBytes({ owner: device.did, root, epoch: 'e' }, REALM, issuedAt)
    const attestation = {
      alg: 'ml-dsa-65' as const,
      publicKeyB64u: device.devicePublicKeyB64u,
      signatureB64u: encodeBase64url(await signerOf(device)(bytes)),
      signedAt: new Date(issuedAt).toISOString(),
    }
    await expect(anchors.submit({ root, epoch: 'e', attestations: [attestation] })).rejects.toMatchObject({
      status: 403,
      error: 'unknown_signer',
    })
  })

  it('needs one capability to submit and another to read', async () => {
    const owner = await freshCaller()
    const [submitting, reading] = [await deviceOf(owner, 'anchors:submit'), await deviceOf(owner, 'anchors:read')]
    const refusal = { status: 403, error: 'capability_required' }
    const root = freshRoot()
    const attestations = [await owner.client.anchors.attest(root, 'e')]
    await expect(reading.anchors.submit({ root, epoch: 'e', attestations })).rejects.toMatchObject(refusal)
    await expect(submitting.anchors.eligibility()).rejects.toMatchObject(refusal)
    expect(await reading.anchors.eligibility()).toMatchObject({ reasons: ['no_blocks'], lastAnchor: null })
    expect((await submitting.anchors.submit({ root, epoch: 'e', attestations })).root).toBe(root)
    expect(await reading.anchors.eligibility()).toMatchObject({ lastAnchor: { root } })
  })

  it('cannot submit once it is revoked', async () => {
    const owner = await freshCaller()
    const { device, anchors } = await deviceOf(owner, 'anchors:submit')
    await owner.client.devices.revoke(device.deviceId)
    const root = freshRoot()
    const attestations = [await owner.client.anchors.attest(root, 'e')]
    await expect(anchors.submit({ root, epoch: 'e', attestations })).rejects.toMatchObject({ status: 401 })
  })
})

describe('a rotated-in root key', () => {
  it('submits for the same owner, and the previous key no longer can', async () => {
    const before = await freshCaller()
    const old = await before.client.anchors.submit({ root: freshRoot(), epoch: 'e' })
    const after = await rotated(before)
    const byOld = await submission(before)
    expect(await submit(after, byOld)).toMatchObject({ status: 403, body: { error: 'unknown_signer' } })
    expect((await submit(before, byOld)).status).toBe(401)
    const record = await after.client.anchors.submit({ root: freshRoot(), epoch: 'e' })
    expect(record).toMatchObject({ owner: old.owner, position: { log: LOG, index: indexOf(old) + 1 } })
  })

  it('finds anchors submitted by the previous key', async () => {
    const before = await freshCaller()
    const record = await before.client.anchors.submit({ root: freshRoot(), epoch: 'e' })
    const after = await rotated(before)
    expect(await after.client.anchors.submit({ root: record.root, epoch: 'e' })).toEqual(record)
    expect(await call(after, 'GET', '/api/anchors/eligibility')).toMatchObject({
      body: { lastAnchor: { anchorId: record.anchorId } },
    })
  })
})

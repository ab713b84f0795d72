import { env } from 'cloudflare:workers'
import { Client, Device } from '@svc/client'
import { mlDsa65 } from '@svc/pqc'
import { submissionBytes } from '@svc/protocol/anchors'
import { encodeBase64url } from '@svc/protocol/base64url'
import type { Capability } from '@svc/protocol/device'
import { rotationRecordSchema } from '@svc/protocol/rotation'
import { signStatement } from '@svc/protocol/statement'
import { INTERNAL_HEADER } from '@svc/service'
import { callerOf, type TestCaller } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { internalService } from '../src/app.ts'
import { freshRoot, submission, submit } from './anchors.fixture.ts'
import { OPERATOR_SEED } from './governance.fixture.ts'
import { anonymous, CORE, call, freshCaller, send } from './harness.ts'

/** A device of the owner with these capabilities, and a client that acts as it. */
async function deviceOf({ identity, client, address }: TestCaller, ...capabilities: Capability[]) {
  const fresh = await Device.create({ origin: 'app:testing', capabilities })
  const attestation = await client.devices.attest(await fresh.acceptance(identity.did, Date.now()))
  const device = await fresh.attested(attestation, await client.keyHistory.of(identity.did))
  const headers = { 'cf-connecting-ip': address }
  return { device, anchors: new Client({ core: CORE, did: 'https://did.test', device, fetch: send, headers }).anchors }
}

/** Hands the identity over to a new root key by version 1, and gives the caller with that key. */
async function rotated(caller: TestCaller): Promise<TestCaller> {
  const { identity, client } = caller
  const successor = await identity.successor()
  const response = await internalService.app.fetch(
    new Request(`https://internal/api/internal/rotation/${identity.did}`, {
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
  it('submits what the root key has attested, for its owner', async () => {
    const owner = await freshCaller()
    const { anchors } = await deviceOf(owner, 'anchors:submit')
    const root = freshRoot()
    const attestations = [await owner.client.anchors.attest(root, 'e')]
    const record = await anchors.submit({ root, epoch: 'e', attestations })
    expect(record).toMatchObject({ owner: owner.identity.did, attestations, status: 'submitted' })
    expect(await owner.client.anchors.submit({ root, epoch: 'e' })).toEqual(record)
  })

  it('attests nothing itself', async () => {
    const { device, anchors } = await deviceOf(await freshCaller(), 'anchors:submit')
    const root = freshRoot()
    await expect(anchors.attest(root, 'e')).rejects.toThrow(new TypeError('a submission is attested by a root key'))
    await expect(anchors.submit({ root, epoch: 'e' })).rejects.toThrow(TypeError)
    const attestation = {
      alg: 'ml-dsa-65' as const,
      publicKeyB64u: device.devicePublicKeyB64u,
      signatureB64u: encodeBase64url(await device.sign(submissionBytes(root, 'e'))),
    }
    await expect(anchors.submit({ root, epoch: 'e', attestations: [attestation] })).rejects.toMatchObject({
      status: 403,
      error: 'unknown_signer',
    })
  })

  it('submits and reads each with its own capability alone', async () => {
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

  it('submits nothing once it is revoked', async () => {
    const owner = await freshCaller()
    const { device, anchors } = await deviceOf(owner, 'anchors:submit')
    await owner.client.devices.revoke(device.deviceId)
    const root = freshRoot()
    const attestations = [await owner.client.anchors.attest(root, 'e')]
    await expect(anchors.submit({ root, epoch: 'e', attestations })).rejects.toMatchObject({ status: 401 })
  })
})

describe('a root key that took over', () => {
  it('submits for the same owner, and the key before it no more', async () => {
    const before = await freshCaller()
    const old = await before.client.anchors.submit({ root: freshRoot(), epoch: 'e' })
    const after = await rotated(before)
    const byOld = await submission(before)
    expect(await submit(after, byOld)).toMatchObject({ status: 403, body: { error: 'unknown_signer' } })
    expect((await submit(before, byOld)).status).toBe(401)
    const record = await after.client.anchors.submit({ root: freshRoot(), epoch: 'e' })
    expect(record).toMatchObject({ owner: old.owner, index: old.index + 1 })
  })

  it('finds the anchor that the key before it submitted', async () => {
    const before = await freshCaller()
    const record = await before.client.anchors.submit({ root: freshRoot(), epoch: 'e' })
    const after = await rotated(before)
    expect(await after.client.anchors.submit({ root: record.root, epoch: 'e' })).toEqual(record)
    expect(await call(after, 'GET', '/api/anchors/eligibility')).toMatchObject({
      body: { lastAnchor: { anchorId: record.anchorId } },
    })
  })
})

import { describe, expect, it } from 'vitest'
import { freshCaller } from '../harness.ts'
import { memberOf, rotated } from '../rotation/rotation.fixture.ts'
import {
  acceptanceBy,
  added,
  attest,
  attestationOf,
  batch,
  chained,
  change,
  following,
  freshKeys,
  receiptOf,
  resigned,
  storedInception,
} from './inception.fixture.ts'

const MISMATCH = { status: 403, body: { error: 'device_mismatch' } }
const UNSIGNED = { status: 403, body: { error: 'invalid_signature' } }

async function started() {
  const caller = await freshCaller()
  const [keys, other] = [await freshKeys(), await freshKeys()]
  return { caller, keys, other, event: await attestationOf(caller, keys) }
}

describe('an attestation', () => {
  it('is appended, hash-linked to the genesis block, and takes effect at once', async () => {
    const { caller, event } = await started()
    const { status, body } = await attest(caller, event)
    const head = following(event)
    const changes = added(event.statement.deviceId)
    expect({ status, data: body['data'] }).toEqual({
      status: 200,
      data: { ...head, acceptedAt: expect.any(Number), changes },
    })
    expect(await caller.client.devices.head()).toMatchObject(head)
    const { devices } = await caller.client.devices.verify()
    expect(devices).toEqual([
      {
        deviceId: event.statement.deviceId,
        publicKeyB64u: event.statement.devicePublicKeyB64u,
        rootEpoch: 0,
        origin: 'app:testing',
        capabilities: ['chain:read'],
        expiresAt: null,
        status: 'active',
      },
    ])
    const member = await memberOf(caller, 'chain:read')
    expect((await member.client.chain.head()).index).toBe('0')
  })

  it.each([
    ['DID', { did: `did:svc:${'PDw8'.repeat(8)}` }],
    ['name', { deviceId: 'PDw8'.repeat(8) }],
    ['origin', { origin: 'https://evil.example' }],
  ])('is refused with an acceptance of another %s', async (_, members) => {
    const { caller, keys, event } = await started()
    const acceptance = await acceptanceBy(keys, caller.identity.did, members)
    expect(await attest(caller, { ...event, acceptance })).toMatchObject(MISMATCH)
    expect(await storedInception(caller)).toEqual({ events: [], devices: [], rosters: [] })
  })

  it('is rejected with the acceptance of another device, for any key', async () => {
    const { caller, keys, other, event } = await started()
    const { did } = caller.identity
    const theirs = await acceptanceBy(other, did)
    const { deviceId, devicePublicKeyB64u } = event.statement
    const disguised = await acceptanceBy(other, did, { deviceId })
    expect(await attest(caller, { ...event, acceptance: theirs })).toMatchObject(MISMATCH)
    expect(await attest(caller, { ...event, acceptance: disguised })).toMatchObject(MISMATCH)
    const inItsName = await acceptanceBy(other, did, { deviceId, devicePublicKeyB64u })
    expect(await attest(caller, { ...event, acceptance: inItsName })).toMatchObject(UNSIGNED)
    const { signatureB64u } = await acceptanceBy(keys, did, { issuedAt: 1 })
    expect(await attest(caller, { ...event, acceptance: { ...event.acceptance, signatureB64u } })).toMatchObject(
      UNSIGNED,
    )
    expect((await caller.client.devices.head()).sequence).toBe(0)
  })

  it('is rejected if it is dated more than an hour ago, like every change of a device', async () => {
    const { caller, event } = await started()
    const expired = { status: 401, body: { error: 'statement_expired', serverTime: expect.any(Number) } }
    const hourAgo = Date.now() - 3_600_001
    for (const issuedAt of [0, hourAgo])
      expect(await attest(caller, await resigned(caller, event, { issuedAt }))).toMatchObject(expired)
    const recent = await resigned(caller, event, { issuedAt: Date.now() - 3_500_000 })
    expect((await attest(caller, recent)).status).toBe(200)
    const { devices } = caller.client
    for (const kind of ['suspend', 'revoke'] as const) {
      const made = await devices.makeChange(event.statement.deviceId, { event: kind }, await devices.head())
      expect(await change(caller, await resigned(caller, made, { issuedAt: hourAgo }))).toMatchObject(expired)
      expect(await change(caller, made)).toMatchObject({ status: 200 })
    }
  })

  it('is rejected with an invalid KEM key, in any encoding', async () => {
    const { caller, keys, event } = await started()
    for (const kemPublicKeyB64u of ['_'.repeat(1579), '!'.repeat(1579), 'A'.repeat(1578), '']) {
      const acceptance = await acceptanceBy(keys, caller.identity.did, { kemPublicKeyB64u })
      expect(await attest(caller, { ...event, acceptance })).toMatchObject({
        status: 400,
        body: { code: 'invalid_request' },
      })
    }
  })

  it('is rejected with a name that does not match the key, even if root and device agree on it', async () => {
    const { caller, keys, event } = await started()
    const deviceId = 'PDw8'.repeat(8)
    const acceptance = await acceptanceBy(keys, caller.identity.did, { deviceId })
    const named = await resigned(caller, { ...event, acceptance }, { deviceId })
    expect(await attest(caller, named)).toMatchObject(MISMATCH)
  })

  it('is signed by the caller’s root key', async () => {
    const { caller, event } = await started()
    const mallory = await freshCaller()
    const forged = await resigned(mallory, event, {})
    expect(await attest(caller, forged)).toMatchObject(UNSIGNED)
    const changed = { ...event, statement: { ...event.statement, capabilities: ['chain:append' as const] } }
    expect(await attest(caller, changed)).toMatchObject(UNSIGNED)
    expect((await caller.client.devices.head()).sequence).toBe(0)
  })

  it('is about the caller, and in no other log', async () => {
    const { caller, event } = await started()
    const mallory = await freshCaller()
    for (const taken of [event, await resigned(mallory, event, {})]) {
      expect(await attest(mallory, taken)).toMatchObject({ status: 403, body: { error: 'owner_mismatch' } })
    }
    const otherScope = await resigned(caller, event, { scope: mallory.identity.scope })
    expect(await attest(caller, otherScope)).toMatchObject({ status: 403, body: { error: 'owner_mismatch' } })
  })

  it('gets its receipt when retried', async () => {
    const { caller, other, event } = await started()
    const first = await attest(caller, event)
    const head = following(event)
    expect(await attest(caller, event)).toMatchObject({
      status: 409,
      body: { error: 'stale_inception_head', details: { head, appended: receiptOf(first) } },
    })
    await attest(caller, await attestationOf(caller, other))
    expect(await attest(caller, event)).toMatchObject({
      status: 409,
      body: { details: { head: { sequence: 2 }, appended: receiptOf(first) } },
    })
    expect((await caller.client.devices.head()).sequence).toBe(2)
  })

  it.each([{ sequence: 2 }, { previousHash: 'a7'.repeat(48) }])('must follow the head: %j', async (members) => {
    const { caller, event } = await started()
    const { sequence, hash } = await caller.client.devices.head()
    expect(await attest(caller, await resigned(caller, event, members))).toMatchObject({
      status: 409,
      body: { error: 'stale_inception_head', details: { head: { sequence, hash }, appended: null } },
    })
  })

  it('is accepted once per epoch', async () => {
    const { caller, keys, event } = await started()
    await attest(caller, event)
    const again = await attestationOf(caller, keys)
    expect(await attest(caller, again)).toMatchObject({ status: 409, body: { error: 'device_exists' } })
  })

  it('names the current epoch, and restores a device after a rotation', async () => {
    const { caller, keys, event } = await started()
    await attest(caller, event)
    const { next } = await rotated(caller)
    const again = await attestationOf(next, keys)
    const old = await resigned(next, again, { rootEpoch: 0 })
    expect(await attest(next, old)).toMatchObject({
      status: 409,
      body: { error: 'stale_epoch', details: { epoch: 1 } },
    })
    expect((await attest(next, again)).status).toBe(200)
    const { devices } = await next.client.devices.verify()
    expect(devices).toMatchObject([{ deviceId: event.statement.deviceId, rootEpoch: 1, status: 'active' }])
  })

  it('by a superseded key is rejected', async () => {
    const { caller, event } = await started()
    const { next } = await rotated(caller)
    expect(await attest(caller, event)).toMatchObject({ status: 401, body: { error: 'unauthorized' } })
    expect(await attest(next, event)).toMatchObject({ status: 409, body: { error: 'stale_epoch' } })
    const claimed = await resigned(caller, event, { rootEpoch: 1 })
    expect(await attest(next, claimed)).toMatchObject(UNSIGNED)
  })
})

describe('a device event', () => {
  it('suspends, resumes, limits and revokes, each in effect at once', async () => {
    const caller = await freshCaller()
    const { devices } = caller.client
    const { client, device } = await memberOf(caller, 'chain:read', 'account:read')
    const refused = { status: 401, error: 'unauthorized' }
    await client.chain.head()
    await devices.suspend(device.deviceId)
    await expect(client.chain.head()).rejects.toMatchObject(refused)
    await devices.resume(device.deviceId)
    expect((await client.chain.head()).index).toBe('0')
    await devices.change(device.deviceId, { event: 'capabilities', capabilities: ['account:read'] })
    await expect(client.chain.head()).rejects.toMatchObject(refused)
    await devices.change(device.deviceId, { event: 'capabilities', capabilities: ['account:read', 'chain:read'] })
    expect((await client.chain.head()).index).toBe('0')
    await devices.revoke(device.deviceId)
    await expect(client.chain.head()).rejects.toMatchObject(refused)
    expect(await devices.verify()).toMatchObject({ devices: [{ status: 'revoked' }], head: { sequence: 6 } })
  })

  it.each([
    { event: 'revoke' },
    { event: 'suspend' },
    { event: 'resume' },
    { event: 'capabilities', capabilities: [] },
  ] as const)('is refused on a device that was revoked, or never attested: %j', async (what) => {
    const { caller, event } = await started()
    const { devices } = caller.client
    const unknown = await devices.makeChange(event.statement.deviceId, what, await devices.head())
    expect(await change(caller, unknown)).toMatchObject({ status: 404, body: { error: 'not_found' } })
    await attest(caller, event)
    await devices.revoke(event.statement.deviceId)
    const late = await devices.makeChange(event.statement.deviceId, what, await devices.head())
    expect(await change(caller, late)).toMatchObject({ status: 409, body: { error: 'device_revoked' } })
    expect((await devices.head()).sequence).toBe(2)
  })

  it('is refused if it changes nothing, alone and in a batch, and nothing is stored', async () => {
    const { caller, event } = await started()
    const { devices } = caller.client
    const { deviceId, capabilities } = event.statement
    await attest(caller, event)
    const refused = { status: 409, body: { error: 'device_state' } }
    const same = { event: 'capabilities', capabilities: capabilities.toReversed() } as const
    for (const what of [{ event: 'resume' } as const, same]) {
      expect(await change(caller, await devices.makeChange(deviceId, what, await devices.head()))).toMatchObject(
        refused,
      )
    }
    const twice = await chained(await devices.head(), [
      (head) => devices.makeChange(deviceId, { event: 'suspend' }, head),
      (head) => devices.makeChange(deviceId, { event: 'suspend' }, head),
    ])
    expect(await batch(caller, twice)).toMatchObject(refused)
    expect((await devices.head()).sequence).toBe(1)
    await devices.suspend(deviceId)
    await expect(devices.suspend(deviceId)).rejects.toMatchObject(refused.body)
    expect((await devices.head()).sequence).toBe(2)
  })

  it('cannot change a device of another identity', async () => {
    const { caller, event } = await started()
    await attest(caller, event)
    const { devices } = (await freshCaller()).client
    await expect(devices.revoke(event.statement.deviceId)).rejects.toMatchObject({ status: 404, error: 'not_found' })
  })

  it('gets its receipt when retried', async () => {
    const { caller, event } = await started()
    const { devices } = caller.client
    await attest(caller, event)
    const revocation = await devices.makeChange(event.statement.deviceId, { event: 'revoke' }, await devices.head())
    const first = await change(caller, revocation)
    expect(await change(caller, revocation)).toMatchObject({
      status: 409,
      body: { error: 'stale_inception_head', details: { appended: receiptOf(first) } },
    })
  })

  it('is rejected unsigned, by another key, and with inconsistent members', async () => {
    const { caller, event } = await started()
    const mallory = await freshCaller()
    await attest(caller, event)
    const { devices } = caller.client
    const good = await devices.makeChange(event.statement.deviceId, { event: 'suspend' }, await devices.head())
    expect(await change(caller, await resigned(mallory, good, {}))).toMatchObject(UNSIGNED)
    const { signatureB64u: _, ...unsigned } = good
    expect((await change(caller, unsigned as typeof good)).status).toBe(400)
    for (const members of [{ event: 'capabilities' }, { capabilities: [] }, { event: 'delete' }, { note: 'x' }]) {
      expect((await change(caller, await resigned(caller, good, members))).status).toBe(400)
    }
    expect((await change(caller, good)).status).toBe(200)
  })
})

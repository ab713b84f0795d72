import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { deviceIdOf, deviceKeyDid } from '@svc/protocol/base/device'
import type { InceptionHead } from '@svc/protocol/base/inception-head'
import type { RotateOfficers } from '@svc/protocol/devices/inception'
import { callerOf, type TestCaller } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { anonymous, CORE, freshCaller, send, sendWith } from '../harness.ts'
import { memberOf, rotated } from '../rotation/rotation.fixture.ts'
import {
  attest,
  attestationOf,
  batch,
  beforeCalling,
  chained,
  change,
  freshKeys,
  type Keys,
  manyKeys,
  storedInception,
} from './inception.fixture.ts'
import { organizationOf, rotate, rotationBy } from './organization.fixture.ts'

const UNAVAILABLE = { status: 503, body: { error: 'dependency_unavailable' } }
const dies = () => Promise.reject(new Error('the object is gone'))
/** The Worker, with calls to an identity’s object failing before they do anything. */
const without = (method: string) => sendWith(beforeCalling(method, dies))
const objectOf = (keys: Keys) => env.IDENTITIES.getByName(deviceKeyDid(deviceIdOf(keys.publicKeyB64u)))
const aliasOf = (keys: Keys) =>
  runInDurableObject(objectOf(keys), ({ transaction }) => {
    const alias = transaction.alias()
    return alias ? [{ kind: alias.kind, did: alias.did }] : []
  })
const reservedFor = ({ identity }: TestCaller) => [{ kind: 'device', did: identity.did }]

async function started() {
  const caller = await freshCaller()
  const keys = await freshKeys()
  return { caller, keys, event: await attestationOf(caller, keys) }
}

describe('an interrupted attestation', () => {
  it('leaves nothing before the key is reserved', async () => {
    const { caller, keys, event } = await started()
    for (const method of ['checkInception', 'reserve']) {
      expect(await attest(caller, event, without(method))).toMatchObject(UNAVAILABLE)
      expect(await aliasOf(keys)).toEqual([])
    }
    expect((await storedInception(caller)).events).toEqual([])
    expect((await attest(caller, event)).status).toBe(200)
  })

  it('succeeds on a retry, between reserving the key and appending', async () => {
    const { caller, keys, event } = await started()
    expect(await attest(caller, event, without('appendInception'))).toMatchObject(UNAVAILABLE)
    expect(await aliasOf(keys)).toEqual(reservedFor(caller))
    expect(await storedInception(caller)).toEqual({ events: [], devices: [], rosters: [] })
    expect((await attest(caller, event)).status).toBe(200)
    expect((await caller.client.devices.verify()).devices).toHaveLength(1)
  })

  it('also succeeds there on a later head, and after both objects were evicted', async () => {
    const { caller, keys, event } = await started()
    await attest(caller, event, without('appendInception'))
    await evictDurableObject(objectOf(keys))
    await evictDurableObject(env.IDENTITIES.getByName(caller.identity.did))
    expect((await attest(caller, await attestationOf(caller, await freshKeys()))).status).toBe(200)
    expect((await attest(caller, await attestationOf(caller, keys))).status).toBe(200)
    expect((await caller.client.devices.verify()).devices).toHaveLength(2)
  })

  it('leaves a key there that no one else can take, before and after an eviction', async () => {
    const { caller, keys, event } = await started()
    await attest(caller, event, without('appendInception'))
    const other = await freshCaller()
    const theirs = await attestationOf(other, keys)
    const inUse = { status: 409, body: { error: 'key_in_use' } }
    expect(await attest(other, theirs)).toMatchObject(inUse)
    await evictDurableObject(objectOf(keys))
    expect(await attest(other, theirs)).toMatchObject(inUse)
    const block = await callerOf(keys, { fetch: send }).client.chain.makeGenesis()
    expect(await anonymous('POST', '/api/genesis/init', { block })).toMatchObject({
      status: 409,
      body: { error: 'genesis_conflict' },
    })
    expect(await aliasOf(keys)).toEqual(reservedFor(caller))
    expect((await attest(caller, event)).status).toBe(200)
  })

  it('between the keys of a batch leaves a batch that succeeds on a retry', async () => {
    const caller = await freshCaller()
    const keys = await manyKeys(3)
    const makes = keys.map((one) => (head: InceptionHead) => attestationOf(caller, one, head))
    const events = await chained(await caller.client.devices.head(), makes)
    const second = deviceKeyDid(events[1]!.statement.deviceId)
    const stops = sendWith(beforeCalling('reserve', (did) => (did === second ? dies() : undefined)))
    expect(await batch(caller, events, stops)).toMatchObject(UNAVAILABLE)
    expect(await Promise.all(keys.map(aliasOf))).toEqual([reservedFor(caller), [], []])
    expect((await storedInception(caller)).events).toEqual([])
    expect((await batch(caller, events)).status).toBe(200)
  })

  it('can be overtaken while reserving: the loser gets an error, and its device can follow', async () => {
    const { caller, keys, event } = await started()
    const faster = await attestationOf(caller, await freshKeys())
    const overtaken = sendWith(beforeCalling('reserve', () => attest(caller, faster)))
    expect(await attest(caller, event, overtaken)).toMatchObject({
      status: 409,
      body: { error: 'stale_inception_head', details: { head: { sequence: 1 }, appended: null } },
    })
    expect((await attest(caller, await attestationOf(caller, keys))).status).toBe(200)
  })
})

describe('a change of officers', () => {
  const sendTo = (rotation: RotateOfficers, replaced: ReturnType<typeof beforeCalling>) =>
    sendWith(replaced)(
      new Request(`${CORE}/api/inception/org-officers`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'cf-connecting-ip': '2001:db8:78::1' },
        body: JSON.stringify(rotation),
      }),
    ).then(async (response) => ({ status: response.status, body: await response.json() }))

  it('is rejected once the key that signed it is superseded, even if its signatures were verified before', async () => {
    const { org, officers } = await organizationOf(2, 1)
    const rotation = await rotationBy(org, { officers: officers.slice(1), approving: officers })
    const late = beforeCalling('rotateOfficers', () => rotated(org))
    expect(await sendTo(rotation, late)).toMatchObject({ status: 403, body: { error: 'invalid_signature' } })
    expect((await storedInception(org)).rosters).toHaveLength(1)
  })

  it('is rejected once its organization is deactivated', async () => {
    const { org, officers } = await organizationOf(2, 1)
    const rotation = await rotationBy(org, { officers: officers.slice(1), approving: officers })
    const late = beforeCalling('rotateOfficers', () => org.client.security.deactivate())
    expect(await sendTo(rotation, late)).toMatchObject({ status: 404, body: { error: 'not_found' } })
    expect((await storedInception(org)).rosters).toHaveLength(1)
  })

  it('is not decided while an officer cannot be looked up', async () => {
    const { org, officers } = await organizationOf(2, 1)
    const rotation = await rotationBy(org, { officers: officers.slice(1), approving: officers })
    const { did } = officers[1]!.identity
    const unreachable = beforeCalling('signer', (asked) => (asked === did ? dies() : undefined))
    expect(await sendTo(rotation, unreachable)).toMatchObject(UNAVAILABLE)
    expect((await rotate(rotation)).status).toBe(200)
  })
})

describe('when the object restarts', () => {
  it('still has its log, its devices and their revocations', async () => {
    const { caller, keys, event } = await started()
    await attest(caller, event)
    await caller.client.devices.revoke(event.statement.deviceId)
    const member = await memberOf(caller, 'chain:read')
    const before = await caller.client.devices.verify()
    await evictDurableObject(env.IDENTITIES.getByName(caller.identity.did))
    expect(await caller.client.devices.verify()).toEqual(before)
    expect((await member.client.chain.head()).index).toBe('0')
    expect(await attest(caller, await attestationOf(caller, keys))).toMatchObject({
      status: 409,
      body: { error: 'device_revoked' },
    })
  })
})

describe('a failing cache', () => {
  const broken = new Proxy({}, { get: () => dies })

  it('neither undoes nor hides a revocation', async () => {
    const { caller, event } = await started()
    const { devices } = caller.client
    await attest(caller, event)
    const revocation = await devices.makeChange(event.statement.deviceId, { event: 'revoke' }, await devices.head())
    expect((await change(caller, revocation, sendWith({ CACHE: broken }))).status).toBe(200)
    expect((await devices.verify()).devices).toMatchObject([{ status: 'revoked' }])
  })
})

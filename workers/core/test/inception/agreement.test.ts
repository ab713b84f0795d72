/** Rule R3': while another device has standing, a new device gains it after 30 days, or with an agreement after a day. */
import { signStatement } from '@svc/protocol/base/statement'
import { STANDING_MS } from '@svc/protocol/chain/rotation'
import type { SignedDeviceAgreement } from '@svc/protocol/devices/agreement'
import { callerOf, deviceOf, REALM, REALMS, signerOf, type TestCaller, type TestDevice } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { freshCaller, send } from '../harness.ts'
import { at, DAY_MS, type Identity, rotated } from '../rotation/rotation.fixture.ts'
import { acceptanceBy, attest, batch, following, freshKeys, type Keys } from './inception.fixture.ts'

const START = Date.UTC(2027, 0, 1)
const error = (status: number, name: string) => ({ status, body: { error: name } })
const MISMATCH = error(403, 'agreement_mismatch')
const WITHOUT = error(403, 'agreement_without_standing')

afterEach(() => {
  vi.useRealTimers()
})

/** Returns a caller with an address of its own, so that rate limits do not apply. */
const fresh = (identity: Identity) => callerOf(identity, { fetch: send })
const deviceBy = ({ identity }: TestCaller, options: Partial<Parameters<typeof deviceOf>[1]> = {}) =>
  deviceOf(fresh(identity), { fetch: send, capabilities: ['rotation:cosign'], ...options })

/** Returns an identity with a device, and sets the clock to the time at which the device gains standing. */
async function standing(): Promise<{ owner: TestCaller; old: TestDevice; now: number }> {
  at(START)
  const owner = await freshCaller()
  const old = await deviceBy(owner)
  at(START + DAY_MS)
  return { owner, old, now: START + DAY_MS }
}

/** Returns when each waiting device gains standing. */
const waiting = async ({ identity }: TestCaller) => (await fresh(identity).client.devices.verify()).waiting

interface Terms {
  readonly by: TestDevice
  /** Members that override those of a correct agreement. */
  readonly members?: object
  readonly keys?: Keys
  readonly signer?: TestDevice
}

/** Returns an attestation of new keys with an agreement. */
async function agreed(owner: TestCaller, { by, members = {}, keys, signer = by }: Terms) {
  const { devices } = fresh(owner.identity).client
  const { sequence, hash } = await devices.head()
  const inception = { sequence, hash }
  const acceptance = await acceptanceBy(keys ?? (await freshKeys()), owner.identity.did, { inception })
  const { statement } = await by.device.agreement(acceptance, { realm: REALM, now: Date.now() })
  const agreement = await signStatement({ ...statement, ...members }, signerOf(signer.device))
  const options = { agreement: agreement as SignedDeviceAgreement, expiresAt: Date.now() + 90 * DAY_MS }
  return devices.makeAttestation(acceptance, inception, options)
}

const sent = async (owner: TestCaller, terms: Terms) => attest(fresh(owner.identity), await agreed(owner, terms))

describe('a device gains standing', () => {
  it('after a window if no other has standing', async () => {
    at(START)
    const owner = await freshCaller()
    const both = [await deviceBy(owner), await deviceBy(owner)]
    expect(await waiting(owner)).toEqual(new Map(both.map(({ device }) => [device.deviceId, START + DAY_MS])))
    at(START + DAY_MS)
    expect(await waiting(owner)).toEqual(new Map())
  })

  it('after a window if another device with standing agrees, otherwise after 30 days', async () => {
    const { owner, old, now } = await standing()
    const [quick, slow] = [await deviceBy(owner, { agreedBy: old.device }), await deviceBy(owner)]
    const expected: [string, number][] = [
      [quick.device.deviceId, now + DAY_MS],
      [slow.device.deviceId, now + STANDING_MS],
    ]
    expect(await waiting(owner)).toEqual(new Map(expected))
    const { events } = await fresh(owner.identity).client.events.read()
    expect(events.map(({ ref, countsAt }) => [ref, countsAt])).toEqual([[old.device.deviceId, now], ...expected])
    at(now + STANDING_MS - 1)
    expect(await waiting(owner)).toEqual(new Map(expected.slice(1)))
    at(now + STANDING_MS)
    expect(await waiting(owner)).toEqual(new Map())
  })

  it('in a rotation from then on', async () => {
    const { owner, old, now } = await standing()
    const quick = await deviceBy(owner, { agreedBy: old.device })
    await deviceBy(owner)
    at(now + 2 * DAY_MS)
    const successor = await owner.identity.successor()
    const rehearsed = await fresh(owner.identity).client.rotation.rehearse(successor, { version: 2 })
    expect(rehearsed.devices).toEqual({ cosign: 2, veto: 0, tooNew: 1 })
    const eligible = [old, quick].map(({ device }) => device.deviceId)
    expect(rehearsed.eligibleCosigners.toSorted()).toEqual(eligible.toSorted())
  })

  it('after a window once no other device has standing', async () => {
    const { owner, old, now } = await standing()
    await fresh(owner.identity).client.devices.revoke(old.device.deviceId)
    const late = now + STANDING_MS
    at(late)
    const next = await deviceBy(owner)
    expect(await waiting(owner)).toEqual(new Map([[next.device.deviceId, late + DAY_MS]]))
  })

  it('after a window under a new root key without devices', async () => {
    at(START)
    const owner = await freshCaller()
    const next = fresh((await rotated(owner)).successor)
    const now = Date.now()
    const { device } = await deviceBy(next)
    expect(await waiting(next)).toEqual(new Map([[device.deviceId, now + DAY_MS]]))
  })
})

describe('an agreement', () => {
  it('is valid from a revoked device that still has standing', async () => {
    const { owner, old, now } = await standing()
    await fresh(owner.identity).client.devices.revoke(old.device.deviceId)
    at(now + STANDING_MS - 1)
    expect((await sent(owner, { by: old })).status).toBe(200)
    expect([...(await waiting(owner)).values()]).toEqual([now + STANDING_MS - 1 + DAY_MS])
    at(now + STANDING_MS)
    expect(await sent(owner, { by: old })).toMatchObject(WITHOUT)
  })

  it('is refused from a device without standing, and nothing is attested', async () => {
    const { owner, old } = await standing()
    const young = await deviceBy(owner, { agreedBy: old.device })
    expect(await sent(owner, { by: young })).toMatchObject(WITHOUT)
    expect((await fresh(owner.identity).client.devices.verify()).devices).toHaveLength(2)
  })

  it('is refused from the new device itself', async () => {
    const { owner, old } = await standing()
    const keys = await freshKeys()
    const first = await agreed(owner, { by: old, keys })
    expect((await attest(fresh(owner.identity), first)).status).toBe(200)
    const members = { signedBy: first.statement.deviceId }
    expect(await sent(owner, { by: old, keys, members })).toMatchObject(MISMATCH)
  })

  it.each<[string, object]>([
    ['identity', { did: `did:svc:${'PDw8'.repeat(8)}` }],
    ['scope', { scope: '3c'.repeat(48) }],
    ['root key', { rootEpoch: 1 }],
    ['device', { deviceId: 'PDw8'.repeat(8) }],
    ['acceptance', { acceptanceHash: '3c'.repeat(48) }],
    ['signer, which the identity never had', { signedBy: 'PDw8'.repeat(8) }],
    ['log', { inception: { sequence: 1, hash: '3c'.repeat(48) } }],
    ['genesis block', { inception: { sequence: 0, hash: '3c'.repeat(48) } }],
    ['log that goes on', { inception: { sequence: 2, hash: '3c'.repeat(48) } }],
  ])('is refused for another %s', async (_, members) => {
    const { owner, old } = await standing()
    expect(await sent(owner, { by: old, members })).toMatchObject(MISMATCH)
  })

  it('is refused if another key signed it', async () => {
    const { owner, old } = await standing()
    const other = await deviceBy(owner, { agreedBy: old.device })
    expect(await sent(owner, { by: old, signer: other })).toMatchObject(error(403, 'invalid_signature'))
  })

  it('is valid for one attestation: a renewal needs a new agreement', async () => {
    const { owner, old } = await standing()
    const keys = await freshKeys()
    const { agreement, ...first } = await agreed(owner, { by: old, keys })
    expect((await attest(fresh(owner.identity), { ...first, agreement })).status).toBe(200)
    at(Date.now() + 1)
    const renewal = await agreed(owner, { by: old, keys })
    expect(await attest(fresh(owner.identity), { ...renewal, agreement })).toMatchObject(MISMATCH)
    expect((await attest(fresh(owner.identity), renewal)).status).toBe(200)
  })

  it('is refused from a device of an earlier root key', async () => {
    const { owner, old } = await standing()
    const { successor } = await rotated(owner)
    const next = fresh(successor)
    expect(await sent(next, { by: old })).toMatchObject(MISMATCH)
    expect(await sent(next, { by: old, members: { rootEpoch: 1 } })).toMatchObject(MISMATCH)
  })

  it('is refused from a device of the same batch', async () => {
    const { owner, old } = await standing()
    const { client, identity } = fresh(owner.identity)
    const { device } = await deviceBy(owner, { attested: false })
    const joining = await device.acceptance(identity.did, { realm: REALM, now: Date.now() })
    const first = await client.devices.makeAttestation(joining, await client.devices.head(), { agreedBy: old.device })
    const young = await device.attested(first, await client.keyHistory.of(identity.did), REALMS)
    const acceptance = await acceptanceBy(await freshKeys(), identity.did)
    const second = await client.devices.makeAttestation(acceptance, following(first), { agreedBy: young })
    expect(await batch(fresh(identity), [first, second])).toMatchObject(WITHOUT)
  })

  it.each([null, {}, { statement: {}, signatureB64u: 'A' }])('is malformed: %j', async (agreement) => {
    const { owner, old } = await standing()
    const event = await agreed(owner, { by: old })
    const answer = await attest(fresh(owner.identity), { ...event, agreement: agreement as never })
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
  })
})

describe('a change', () => {
  it('does not shorten the wait of a device', async () => {
    const { owner, now } = await standing()
    const { device } = await deviceBy(owner)
    const { devices } = fresh(owner.identity).client
    at(now + DAY_MS)
    await devices.change(device.deviceId, { event: 'capabilities', capabilities: [] })
    expect(await waiting(owner)).toEqual(new Map([[device.deviceId, now + DAY_MS + STANDING_MS]]))
    await devices.suspend(device.deviceId)
    expect(await waiting(owner)).toEqual(new Map())
    at(now + 2 * DAY_MS)
    await devices.resume(device.deviceId)
    expect(await waiting(owner)).toEqual(new Map([[device.deviceId, now + 2 * DAY_MS + STANDING_MS]]))
  })

  it('does not take standing from a device', async () => {
    const { owner, old } = await standing()
    await deviceBy(owner, { agreedBy: old.device })
    at(START + 2 * DAY_MS)
    const { devices } = fresh(owner.identity).client
    await devices.suspend(old.device.deviceId)
    await devices.resume(old.device.deviceId)
    expect(await waiting(owner)).toEqual(new Map())
    at(START + 40 * DAY_MS)
    expect(await waiting(owner)).toEqual(new Map())
  })
})

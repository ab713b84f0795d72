import type { InceptionHead } from '@svc/protocol/base/inception-head'
import type { TestCaller } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { freshCaller } from '../harness.ts'
import {
  acceptanceBy,
  added,
  attest,
  attestationOf,
  batch,
  chained,
  type DeviceEvent,
  following,
  freshKeys,
  type Keys,
  manyKeys,
  receiptOf,
  resigned,
  storedInception,
} from './inception.fixture.ts'

type Make = (head: InceptionHead) => Promise<DeviceEvent>

const attesting = (caller: TestCaller, keys: readonly Keys[]): Make[] =>
  keys.map((one) => (head) => attestationOf(caller, one, head))
const chain = async (caller: TestCaller, makes: readonly Make[]) => chained(await caller.client.devices.head(), makes)

describe('a batch', () => {
  it('of ten attestations is accepted, and returns its last event', async () => {
    const caller = await freshCaller()
    const events = await chain(caller, attesting(caller, await manyKeys(10)))
    const { status, body } = await batch(caller, events)
    expect(status).toBe(200)
    const tell = expect.arrayContaining(added(...events.map(({ statement }) => statement.deviceId))) as unknown
    expect(body['data']).toEqual({ ...following(events[9]!), acceptedAt: expect.any(Number), changes: tell })
    expect((await caller.client.devices.page()).events).toEqual(events)
    expect((await caller.client.devices.verify()).devices).toHaveLength(10)
  })

  it('can attest a device and change it', async () => {
    const caller = await freshCaller()
    const { devices } = caller.client
    const keys = await freshKeys()
    const [first] = await chain(caller, attesting(caller, [keys]))
    const { deviceId } = first!.statement
    const events = await chain(caller, [
      () => Promise.resolve(first!),
      (head) => devices.makeChange(deviceId, { event: 'capabilities', capabilities: ['account:read'] }, head),
      (head) => devices.makeChange(deviceId, { event: 'suspend' }, head),
    ])
    expect((await devices.batch(events)).sequence).toBe(3)
    expect((await devices.verify()).devices).toMatchObject([{ status: 'suspended', capabilities: ['account:read'] }])
  })

  it('of eleven or of none is rejected', async () => {
    const caller = await freshCaller()
    const events = await chain(caller, attesting(caller, await manyKeys(11)))
    expect(await batch(caller, events)).toMatchObject({ status: 413, body: { code: 'invalid_request' } })
    expect(await batch(caller, [])).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
    expect((await caller.client.devices.head()).sequence).toBe(0)
  })

  it('cannot contain organization events', async () => {
    const caller = await freshCaller()
    const { organization, devices } = caller.client
    const statement = await organization.makeInception([caller.identity.did], 1, await devices.head())
    const acceptances = [await organization.accept(statement)]
    const [event] = await chain(caller, attesting(caller, [await freshKeys()]))
    const org = { statement, signatureB64u: event!.signatureB64u, acceptances }
    expect((await batch(caller, [org])).status).toBe(400)
  })

  it('gets its receipt when retried', async () => {
    const caller = await freshCaller()
    const events = await chain(caller, attesting(caller, await manyKeys(3)))
    const first = await batch(caller, events)
    expect(await batch(caller, events)).toMatchObject({
      status: 409,
      body: { error: 'stale_inception_head', details: { appended: receiptOf(first) } },
    })
  })
})

describe('one invalid event among ten', () => {
  type Spoil = (caller: TestCaller, keys: readonly Keys[], head: InceptionHead) => Promise<DeviceEvent>
  const cases: [string, Spoil, number, string][] = [
    [
      'another key’s signature',
      async (caller, [keys], head) => resigned(await freshCaller(), await attestationOf(caller, keys!, head), {}),
      403,
      'invalid_signature',
    ],
    [
      'an acceptance of another DID',
      async (caller, [keys], head) => ({
        ...(await attestationOf(caller, keys!, head)),
        acceptance: await acceptanceBy(keys!, `did:svc:${'PDw8'.repeat(8)}`),
      }),
      403,
      'device_mismatch',
    ],
    [
      'another identity',
      async (caller, [keys], head) =>
        resigned(caller, await attestationOf(caller, keys!, head), { scope: '3c'.repeat(48) }),
      403,
      'owner_mismatch',
    ],
    [
      'a gap',
      async (caller, [keys], head) => attestationOf(caller, keys!, { ...head, sequence: head.sequence + 1 }),
      409,
      'stale_inception_head',
    ],
    [
      'another event before it',
      async (caller, [keys], head) => attestationOf(caller, keys!, { ...head, hash: 'a7'.repeat(48) }),
      409,
      'stale_inception_head',
    ],
    [
      'another epoch',
      async (caller, [keys], head) => resigned(caller, await attestationOf(caller, keys!, head), { rootEpoch: 1 }),
      409,
      'stale_epoch',
    ],
    [
      'a device that is there already',
      (caller, [, first], head) => attestationOf(caller, first!, head),
      409,
      'device_exists',
    ],
    [
      'a device that nobody knows',
      ({ client }, _, head) => client.devices.makeChange('PDw8'.repeat(8), { event: 'revoke' }, head),
      404,
      'not_found',
    ],
    [
      'a key that is another identity’s',
      async (caller, _, head) => attestationOf(caller, (await freshCaller()).identity, head),
      409,
      'key_in_use',
    ],
  ]

  it.each(cases)('for %s leaves log and devices unchanged', async (_, spoil, status, error) => {
    const caller = await freshCaller()
    const existing = await attestationOf(caller, await freshKeys())
    await attest(caller, existing)
    const before = await storedInception(caller)
    const [spare, ...keys] = (await manyKeys(10)) as [Keys, ...Keys[]]
    const makes = attesting(caller, keys)
    makes.splice(6, 0, (head) => spoil(caller, [spare, keys[0]!], head))
    expect(await batch(caller, await chain(caller, makes))).toMatchObject({ status, body: { error } })
    expect(await storedInception(caller)).toEqual(before)
    expect((await caller.client.devices.verify()).devices).toHaveLength(1)
  })

  it('reserves no key: another identity can still use the valid ones', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const keys = await manyKeys(2)
    const twice = await chain(alice, [...attesting(alice, keys), ...attesting(alice, keys.slice(0, 1))])
    expect(await batch(alice, twice)).toMatchObject({ status: 409, body: { error: 'device_exists' } })
    const taken = await chain(alice, attesting(alice, [...keys, bob.identity]))
    expect(await batch(alice, taken)).toMatchObject({ status: 409, body: { error: 'key_in_use' } })
    for (const one of keys) expect((await attest(bob, await attestationOf(bob, one))).status).toBe(200)
  })
})

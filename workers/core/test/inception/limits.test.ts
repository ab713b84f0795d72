import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { deviceKeyDid } from '@svc/protocol/base/device'
import type { InceptionHead } from '@svc/protocol/base/inception-head'
import type { TestCaller } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { freshCaller, sendWith } from '../harness.ts'
import { issued, redeem } from '../licences/licences.fixture.ts'
import { internal, rotated } from '../rotation/rotation.fixture.ts'
import { leave } from '../storage/storage.fixture.ts'
import {
  acceptanceBy,
  attest,
  attestationOf,
  batch,
  beforeCalling,
  chained,
  type DeviceEvent,
  freshKeys,
  type Keys,
  manyKeys,
  seedDevices,
} from './inception.fixture.ts'

const DAY = 86_400_000
const LIMIT = { status: 409, body: { error: 'device_limit' } }
const setClock = (now: number) => vi.useFakeTimers({ toFake: ['Date'], now })

afterEach(() => {
  vi.useRealTimers()
})

/** A caller with one device, created from keys of its own. */
async function started() {
  const caller = await freshCaller()
  const keys = await freshKeys()
  const event = await attestationOf(caller, keys)
  await attest(caller, event)
  return { caller, keys, deviceId: event.statement.deviceId }
}
const attestFresh = async (caller: TestCaller) => attest(caller, await attestationOf(caller, await freshKeys()))

describe('devices of one epoch', () => {
  it('are limited to 32, until one is revoked', async () => {
    const { caller, deviceId } = await started()
    await seedDevices(caller, 30, 'active')
    expect((await attestFresh(caller)).status).toBe(200)
    expect(await attestFresh(caller)).toMatchObject(LIMIT)
    await caller.client.devices.suspend(deviceId)
    expect(await attestFresh(caller)).toMatchObject(LIMIT)
    await caller.client.devices.revoke(deviceId)
    expect((await attestFresh(caller)).status).toBe(200)
    expect(await attestFresh(caller)).toMatchObject(LIMIT)
  })

  it('do not count in the next epoch', async () => {
    const { caller } = await started()
    await seedDevices(caller, 31, 'active')
    expect(await attestFresh(caller)).toMatchObject(LIMIT)
    const { next } = await rotated(caller)
    expect((await attestFresh(next)).status).toBe(200)
  })

  it('are counted together with those of the same batch', async () => {
    const { caller, deviceId } = await started()
    await seedDevices(caller, 29, 'active')
    const { devices } = caller.client
    const makes = (await manyKeys(3)).map((one) => (head: InceptionHead) => attestationOf(caller, one, head))
    const revoke = (head: InceptionHead) => devices.makeChange(deviceId, { event: 'revoke' }, head)
    const head = await devices.head()
    expect(await batch(caller, await chained(head, makes))).toMatchObject(LIMIT)
    expect(await batch(caller, await chained(head, [...makes, revoke]))).toMatchObject(LIMIT)
    expect(await devices.head()).toEqual(head)
    expect((await batch(caller, await chained(head, [revoke, ...makes]))).status).toBe(200)
  })
})

describe('new keys in 30 days', () => {
  it('are limited to 64, including revoked ones', async () => {
    const start = Date.now()
    const { caller } = await started()
    await seedDevices(caller, 62, 'revoked')
    expect((await attestFresh(caller)).status).toBe(200)
    expect(await attestFresh(caller)).toMatchObject(LIMIT)
    setClock(start + 29 * DAY)
    expect(await attestFresh(caller)).toMatchObject(LIMIT)
    setClock(start + 31 * DAY)
    expect((await attestFresh(caller)).status).toBe(200)
  })

  it('are counted together with those of the same batch', async () => {
    const { caller } = await started()
    await seedDevices(caller, 61, 'revoked')
    const makes = (await manyKeys(3)).map((one) => (head: InceptionHead) => attestationOf(caller, one, head))
    const events = await chained(await caller.client.devices.head(), makes)
    expect(await batch(caller, events)).toMatchObject(LIMIT)
    expect((await batch(caller, events.slice(0, 2))).status).toBe(200)
  })

  it('are counted for the current root key: after a rotation, it attests new ones and those from before', async () => {
    const { caller, keys } = await started()
    const [another, third] = (await manyKeys(2)) as [Keys, Keys]
    for (const one of [another, third]) await attest(caller, await attestationOf(caller, one))
    await seedDevices(caller, 61, 'revoked')
    expect(await attestFresh(caller)).toMatchObject(LIMIT)
    const { next } = await rotated(caller)
    expect((await attestFresh(next)).status).toBe(200)
    expect((await attest(next, await attestationOf(next, keys))).status).toBe(200)
    const makes = [another, third].map((one) => (head: InceptionHead) => attestationOf(next, one, head))
    expect((await batch(next, await chained(await next.client.devices.head(), makes))).status).toBe(200)
  })
})

describe('a key that is reserved', () => {
  const aliases = async (events: readonly DeviceEvent[]) => {
    const objects = events.map(({ statement }) => env.IDENTITIES.getByName(deviceKeyDid(statement.deviceId)))
    const found = await Promise.all(
      objects.map((object) => runInDurableObject(object, ({ transaction }) => transaction.alias())),
    )
    return found.filter((alias) => alias !== null).length
  }
  const attesting = async (caller: TestCaller, count: number, head: InceptionHead) =>
    chained(
      head,
      (await manyKeys(count)).map((one) => (last: InceptionHead) => attestationOf(caller, one, last)),
    )

  it('had room: a batch that does not fit reserves none', async () => {
    const caller = await freshCaller()
    const events = await attesting(caller, 3, await caller.client.devices.head())
    await leave(caller, { rows: 2 })
    const refused = { status: 402, body: { error: 'budget_exhausted' } }
    expect(await batch(caller, events)).toMatchObject(refused)
    expect(await aliases(events)).toBe(0)
    expect((await batch(caller, events.slice(0, 2))).status).toBe(200)
  })

  it('is judged with the tier of today, by one assertion', async () => {
    const caller = await freshCaller()
    const [event] = await attesting(caller, 1, await caller.client.devices.head())
    await leave(caller, { rows: 0 })
    expect((await batch(caller, [event!])).status).toBe(402)
    expect((await redeem(await issued({ tier: 'provenance' }), caller.identity.did)).status).toBe(200)
    expect((await batch(caller, [event!])).status).toBe(200)
  })

  it('counts before it is: twenty racing batches take no more objects than the limit allows', async () => {
    const caller = await freshCaller()
    const head = await caller.client.devices.head()
    const batches = await Promise.all(Array.from({ length: 20 }, () => attesting(caller, 10, head)))
    const answers = await Promise.all(batches.map((events) => batch(caller, events)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await aliases(batches.flat())).toBeLessThanOrEqual(64)
    expect((await caller.client.devices.verify()).devices).toHaveLength(10)
  }, 60_000)

  it('counts once, however often its attestation is sent, and for 30 days', async () => {
    const start = Date.now()
    const { caller } = await started()
    await seedDevices(caller, 61, 'revoked')
    const [first, second] = await attesting(caller, 2, await caller.client.devices.head())
    const dies = sendWith(beforeCalling('appendInception', () => Promise.reject(new Error('gone'))))
    for (let i = 0; i < 3; i++) expect((await batch(caller, [first!, second!], dies)).status).toBe(503)
    expect(await attestFresh(caller)).toMatchObject(LIMIT)
    expect((await batch(caller, [first!, second!])).status).toBe(200)
    expect(await attestFresh(caller)).toMatchObject(LIMIT)
    setClock(start + 31 * DAY)
    expect((await attestFresh(caller)).status).toBe(200)
  })
})

describe('a device that expires', () => {
  const renewing = async (caller: TestCaller, keys: Keys, expiresAt: number | null, members = {}) => {
    const { devices } = caller.client
    const { sequence, hash } = await devices.head()
    const inception = { sequence, hash }
    const acceptance = await acceptanceBy(keys, caller.identity.did, { inception, ...members })
    return devices.makeAttestation(acceptance, inception, expiresAt === null ? {} : { expiresAt })
  }
  const recordOf = (deviceId: string) => internal('GET', `/api/internal/device/${deviceId}?consistency=primary`)

  it('can be renewed before and after it expires, with everything new', async () => {
    const start = Date.now()
    const caller = await freshCaller()
    const keys = await freshKeys()
    const first = await renewing(caller, keys, start + DAY)
    const { deviceId } = first.statement
    await attest(caller, first)
    const second = await renewing(caller, keys, start + 2 * DAY, {
      origin: 'app:moved',
      capabilities: ['account:read'],
    })
    expect((await attest(caller, second)).status).toBe(200)
    const renewed = { origin: 'app:moved', capabilities: ['account:read'], expiresAt: start + 2 * DAY }
    expect(await recordOf(deviceId)).toMatchObject({ status: 200, body: renewed })
    setClock(start + 3 * DAY)
    await caller.client.devices.suspend(deviceId)
    expect((await attest(caller, await renewing(caller, keys, start + 4 * DAY))).status).toBe(200)
    expect(await recordOf(deviceId)).toMatchObject({ body: { status: 'active', expiresAt: start + 4 * DAY } })
    expect((await caller.client.devices.verify()).devices).toHaveLength(1)
  })

  it('is permanent when renewed without an expiry', async () => {
    const caller = await freshCaller()
    const keys = await freshKeys()
    await attest(caller, await renewing(caller, keys, Date.now() + DAY))
    expect((await attest(caller, await renewing(caller, keys, null))).status).toBe(200)
    expect(await attest(caller, await renewing(caller, keys, null))).toMatchObject({
      status: 409,
      body: { error: 'device_exists' },
    })
  })

  it('cannot return once it is revoked', async () => {
    const caller = await freshCaller()
    const keys = await freshKeys()
    const event = await renewing(caller, keys, Date.now() + DAY)
    await attest(caller, event)
    await caller.client.devices.revoke(event.statement.deviceId)
    expect(await attest(caller, await renewing(caller, keys, Date.now() + DAY))).toMatchObject({
      status: 409,
      body: { error: 'device_revoked' },
    })
  })

  it('counts against the limit and can still be renewed at it', async () => {
    const caller = await freshCaller()
    const keys = await freshKeys()
    await attest(caller, await renewing(caller, keys, Date.now() - 1))
    await seedDevices(caller, 31, 'active')
    expect(await attestFresh(caller)).toMatchObject(LIMIT)
    expect((await attest(caller, await renewing(caller, keys, Date.now() + DAY))).status).toBe(200)
  })
})

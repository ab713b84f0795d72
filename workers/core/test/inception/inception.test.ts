import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { CAPABILITIES } from '@svc/protocol/base/device'
import type { InceptionHead } from '@svc/protocol/base/inception-head'
import { describe, expect, it } from 'vitest'
import { anonymous, call, freshCaller } from '../harness.ts'
import { memberOf, rotated } from '../rotation/rotation.fixture.ts'
import { added, attestationOf, batch, chained, freshKeys, post, storedInception } from './inception.fixture.ts'

const NOTHING = { events: [], devices: [], rosters: [] }

describe('the head of an inception log', () => {
  it('is the genesis block while the log is empty', async () => {
    const { client, identity } = await freshCaller()
    const { hash } = await client.chain.readGenesis(identity.did)
    const { did, scope } = identity
    expect(await client.devices.head()).toEqual({ did, scope, sequence: 0, hash, rootEpoch: 0 })
    expect(await client.devices.page()).toEqual({ events: [], next: null, head: { sequence: 0, hash } })
  })

  it('is read without creating anything', async () => {
    const caller = await freshCaller()
    const first = await caller.client.devices.head()
    expect(await caller.client.devices.head()).toEqual(first)
    expect(await storedInception(caller)).toEqual(NOTHING)
  })

  it('is not found for an unknown identity, and leaves no tables', async () => {
    const caller = await freshCaller({ genesis: false })
    const { identity } = caller
    const answer = await post(caller, 'head', { scope: identity.scope })
    expect(answer).toMatchObject({ status: 401, body: { error: 'unauthorized' } })
    const object = env.IDENTITIES.getByName(identity.did)
    const tables = await runInDurableObject(object, (_, { storage }) =>
      storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'").toArray(),
    )
    expect(tables).toEqual([])
  })

  it('is only for the caller’s own log', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    for (const scope of [bob.identity.scope, '3c'.repeat(48)]) {
      expect(await post(alice, 'head', { scope })).toMatchObject({ status: 403, body: { error: 'owner_mismatch' } })
    }
    const { next } = await rotated(alice)
    expect(await post(next, 'head', { scope: next.identity.userId })).toMatchObject({
      status: 403,
      body: { error: 'owner_mismatch' },
    })
    expect((await next.client.devices.head()).rootEpoch).toBe(1)
  })

  it.each(['', 'x', '3C'.repeat(48), '3c'.repeat(47), `${'3c'.repeat(48)}0`])(
    'is not given for a scope that is none: %j',
    async (scope) => {
      const answer = await post(await freshCaller(), 'head', { scope })
      expect(answer).toMatchObject({ status: 403, body: { error: 'owner_mismatch' } })
    },
  )

  it.each([{}, { scope: null }, { scope: 3 }, { scope: ['x'] }, { scope: {} }, []])(
    'is not given for a body without a scope: %j',
    async (body) => {
      expect(await post(await freshCaller(), 'head', body)).toMatchObject({
        status: 400,
        body: { code: 'invalid_request' },
      })
    },
  )

  it('is rejected with unknown members', async () => {
    const caller = await freshCaller()
    const { scope } = caller.identity
    expect((await post(caller, 'head', { scope, sequence: 0 })).status).toBe(400)
  })
})

describe('the events of an inception log', () => {
  it('have pages of twenty, ascending', async () => {
    const caller = await freshCaller()
    const { devices } = caller.client
    const first = await attestationOf(caller, await freshKeys())
    const { deviceId } = first.statement
    const events = await chained(await devices.head(), [
      () => Promise.resolve(first),
      ...Array.from(
        { length: 20 },
        (_, i) => (head: InceptionHead) =>
          devices.makeChange(deviceId, { event: i % 2 === 0 ? 'suspend' : 'resume' }, head),
      ),
    ])
    for (const part of [events.slice(0, 10), events.slice(10, 20), events.slice(20)]) {
      expect((await batch(caller, part)).status).toBe(200)
    }
    const { sequence, hash } = await devices.head()
    const head = { sequence, hash }
    const waiting = [{ deviceId, countsAt: expect.any(Number) as number }]
    const place = { head, waiting, changes: added(deviceId) }
    expect(sequence).toBe(21)
    expect(await devices.page()).toEqual({ events: events.slice(0, 20), next: 21, ...place })
    expect(await devices.page(0)).toEqual({ events: events.slice(0, 20), next: 21, ...place })
    expect(await devices.page(2)).toEqual({ events: events.slice(1), next: null, ...place })
    expect(await devices.page(21)).toEqual({ events: events.slice(20), next: null, ...place })
    expect(await devices.page(22)).toEqual({ events: [], next: null, ...place })
    expect(await devices.verify()).toMatchObject({ head })
  })

  it('are separate for each owner', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    expect((await post(alice, 'device', await attestationOf(alice, await freshKeys()))).status).toBe(200)
    expect((await alice.client.devices.page()).events).toHaveLength(1)
    expect((await bob.client.devices.page()).events).toEqual([])
  })
})

const WRITES = ['device', 'device-event', 'device-batch', 'org']

describe('inception routes', () => {
  it.each(['head', ...WRITES])('reject assertions for another audience: %s', async (path) => {
    const caller = await freshCaller()
    const body = { scope: caller.identity.scope }
    expect(await call(caller, 'POST', `/api/inception/${path}`, body)).toMatchObject({
      status: 403,
      body: { error: 'wrong_audience' },
    })
    for (const audience of ['core', 'notes', 'genesi', 'Genesis', 'identity']) {
      const authorization = await caller.assertion(audience)
      expect(await anonymous('POST', `/api/inception/${path}`, body, { authorization })).toMatchObject({
        status: 403,
        body: { error: 'wrong_audience' },
      })
    }
  })

  it('reject other audiences for reading events', async () => {
    const caller = await freshCaller()
    expect(await call(caller, 'GET', '/api/inception/events')).toMatchObject({
      status: 403,
      body: { error: 'wrong_audience' },
    })
  })

  it.each(['head', ...WRITES])('require an assertion: %s', async (path) => {
    expect(await anonymous('POST', `/api/inception/${path}`, {})).toMatchObject({
      status: 401,
      body: { error: 'unauthorized' },
    })
  })

  it('allow reading for a device with account:read, and for no other', async () => {
    const caller = await freshCaller()
    const reader = await memberOf(caller, 'account:read')
    const { sequence, hash } = await caller.client.devices.head()
    expect(await reader.client.devices.head()).toMatchObject({ sequence, hash, scope: caller.identity.scope })
    expect((await reader.client.devices.page()).events).toHaveLength(1)
    const others = CAPABILITIES.filter((name) => name !== 'account:read')
    const stranger = await memberOf(caller, ...others)
    const refusal = { status: 403, error: 'capability_required' }
    await expect(stranger.client.devices.head()).rejects.toMatchObject(refusal)
    await expect(stranger.client.devices.page()).rejects.toMatchObject(refusal)
  })

  it('allow no writes by a device, whatever its capabilities', async () => {
    const caller = await freshCaller()
    const { devices, organization } = caller.client
    const member = await memberOf(caller, ...CAPABILITIES)
    const event = await attestationOf(caller, await freshKeys())
    const head = await devices.head()
    const { deviceId } = member.device
    const suspension = await devices.makeChange(deviceId, { event: 'suspend' }, head)
    const statement = await organization.makeInception([caller.identity.did], 1, head)
    const org = { statement, signatureB64u: event.signatureB64u, acceptances: [] }
    const before = await storedInception(caller)
    for (const [path, body] of [
      ['device', event],
      ['device-event', suspension],
      ['device-batch', { events: [event] }],
      ['org', org],
    ] as const) {
      const authorization = await member.assertion('genesis')
      expect(await anonymous('POST', `/api/inception/${path}`, body, { authorization })).toMatchObject({
        status: 403,
        body: { error: 'capability_required' },
      })
    }
    expect(await storedInception(caller)).toEqual(before)
  })
})

import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { bytesOf } from '@svc/protocol/base/base64url'
import { verifyStatement } from '@svc/protocol/base/statement'
import { EVENT_DAYS, type EventPage, KEPT_OF_FAMILY, signedEventPageSchema } from '@svc/protocol/events/events'
import { BEGINNING, NO_FAMILIES, pageFault } from '@svc/protocol/events/page-fault'
import { deviceOf, REALMS, type TestCaller } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { EventStore } from '../../src/events/store.ts'
import { call, freshCaller, send, sendWith } from '../harness.ts'
import { attest, attestationOf, freshKeys } from '../inception/inception.fixture.ts'
import { at, DAY_MS, opened } from '../rotation/rotation.fixture.ts'

type Reader = Parameters<typeof call>[0]

async function feed(caller: Reader, query = '', fetch = send): Promise<EventPage> {
  const { status, body } = await call(caller, 'GET', `/api/events${query}`, undefined, fetch)
  expect(status).toBe(200)
  const signed = signedEventPageSchema.parse(body['data'])
  expect(await verifyStatement(signed, bytesOf(signed.publicKeyB64u), REALMS)).toBe(true)
  return signed.statement
}

const told = ({ events }: EventPage) => events.map(({ kind, ref }) => `${kind} ${ref}`)

const seeded = ({ identity }: TestCaller, count: number, now: number) =>
  runInDurableObject(env.IDENTITIES.getByName(identity.did), ({ stored }) => {
    const store = new EventStore(stored)
    for (let i = 0; i < count; i += 1) store.add('inbox.message', 'm', now)
  })

afterEach(() => {
  vi.useRealTimers()
})

describe('the event feed', () => {
  it('is empty at first, and signed', async () => {
    const caller = await freshCaller()
    const page = await feed(caller)
    expect(page).toMatchObject({ did: caller.identity.did, after: 0, events: [], missed: 0 })
    expect(page.head).toEqual(BEGINNING)
    expect(pageFault(page, BEGINNING)).toBeNull()
  })

  it('tells of holds and devices, in order, each with the hash of the one before it', async () => {
    const caller = await freshCaller()
    const { client } = caller
    const { device } = await deviceOf(caller, { fetch: send })
    await client.security.placeHold()
    await client.security.placeHold()
    await client.security.liftHold()
    await client.security.liftHold()
    await client.devices.revoke(device.deviceId)
    const page = await feed(caller)
    expect(told(page)).toEqual([
      `device.attested ${device.deviceId}`,
      'hold.placed root',
      'hold.lifted root',
      `device.revoked ${device.deviceId}`,
    ])
    expect(pageFault(page, BEGINNING)).toBeNull()
    expect(page.head).toMatchObject({ sequence: 4, kinds: { ...NO_FAMILIES, device: 2, hold: 2 } })
  })

  it('tells of a rotation when it is requested, and when it is stopped or takes effect', async () => {
    const caller = await freshCaller()
    const first = await opened(caller, 2)
    await caller.client.rotation.cancel(first.rotation.rotationId)
    const second = await opened(caller, 2)
    at(Date.now() + DAY_MS + 1)
    await call(caller, 'POST', '/api/chain/rotation/v2/activate', { rotationId: second.rotation.rotationId })
    expect(told(await feed(second.next))).toEqual([
      `rotation.pending ${first.rotation.rotationId}`,
      `rotation.cancelled ${first.rotation.rotationId}`,
      `rotation.pending ${second.rotation.rotationId}`,
      `rotation.active ${second.rotation.rotationId}`,
    ])
  })

  it('goes on after a cursor, in pages', async () => {
    const caller = await freshCaller()
    await seeded(caller, 5, Date.now())
    const first = await feed(caller, '?limit=2')
    expect(first.events.map(({ sequence }) => sequence)).toEqual([1, 2])
    const second = await feed(caller, '?cursor=2&limit=100')
    expect(second.events.map(({ sequence }) => sequence)).toEqual([3, 4, 5])
    expect(
      pageFault(second, { sequence: 2, hash: second.events[0]?.previousHash ?? '', kinds: NO_FAMILIES }),
    ).toBeNull()
    expect(pageFault(second, { sequence: 2, hash: 'ff'.repeat(48), kinds: {} })).toBe('fork')
  })

  it('signs that it has less than the reader saw', async () => {
    const caller = await freshCaller()
    const page = await feed(caller, '?cursor=7')
    expect(page).toMatchObject({ after: 7, events: [], missed: 0, head: { sequence: 0 } })
    expect(pageFault(page, { sequence: 7, hash: null, kinds: {} })).toBe('rolled_back')
  })

  it('says how many it deleted: what is too old, and the oldest of too many', async () => {
    const caller = await freshCaller()
    const now = Date.now()
    await seeded(caller, KEPT_OF_FAMILY + 3, now)
    const many = await feed(caller, '?cursor=1&limit=1')
    expect(many).toMatchObject({ missed: 2, events: [{ sequence: 4 }], head: { sequence: KEPT_OF_FAMILY + 3 } })
    expect(pageFault(many, { sequence: 1, hash: null, kinds: {} })).toBeNull()
    const object = env.IDENTITIES.getByName(caller.identity.did)
    at(now + EVENT_DAYS * DAY_MS + 1)
    await runInDurableObject(object, (instance) => instance.alarm())
    const old = await feed(caller)
    expect(old).toMatchObject({ events: [], missed: KEPT_OF_FAMILY + 3, head: { sequence: KEPT_OF_FAMILY + 3 } })
    expect(pageFault(old, BEGINNING)).toBeNull()
  })

  it('wakes its object when its oldest event is to be deleted, and no sooner for assertions', async () => {
    const caller = await freshCaller()
    await caller.client.security.placeHold()
    await seeded(caller, 1, Date.now())
    for (let i = 0; i < 3; i++) await feed(caller)
    const [, { at: reportedAt } = { at: 0 }] = (await feed(caller)).events
    const next = await runInDurableObject(env.IDENTITIES.getByName(caller.identity.did), (_, { storage }) =>
      storage.getAlarm(),
    )
    expect(next).toBe(reportedAt + EVENT_DAYS * DAY_MS)
  })

  it('is read by any active device, and by nobody else', async () => {
    const caller = await freshCaller()
    const { device } = await deviceOf(caller, { fetch: send, capabilities: [] })
    expect(told(await feed({ ...caller, identity: device }))).toHaveLength(1)
    expect(told(await feed(await freshCaller()))).toEqual([])
    expect((await send(new Request('https://core.test/api/events'))).status).toBe(401)
  })

  it('has the event of an act that was answered, after a crash too', async () => {
    const caller = await freshCaller()
    await caller.client.security.placeHold()
    await evictDurableObject(env.IDENTITIES.getByName(caller.identity.did))
    expect(told(await feed(caller))).toEqual(['hold.placed root'])
  })

  it('has nothing of an act that was rolled back', async () => {
    const caller = await freshCaller()
    const object = env.IDENTITIES.getByName(caller.identity.did)
    await runInDurableObject(object, ({ stored }) => {
      const store = new EventStore(stored)
      expect(() =>
        stored.transact(() => {
          store.add('hold.placed', 'root', 1)
          throw new Error('the disk is full')
        }),
      ).toThrow('the disk is full')
    })
    expect((await feed(caller)).head.sequence).toBe(0)
  })

  it('has one event of twenty acts at once that come to one', async () => {
    const caller = await freshCaller()
    const event = await attestationOf(caller, await freshKeys())
    await Promise.all(Array.from({ length: 20 }, () => caller.client.security.placeHold()))
    await caller.client.security.liftHold()
    await Promise.all(Array.from({ length: 20 }, () => attest(caller, event)))
    const kinds = (await feed(caller)).events.map(({ kind }) => kind)
    expect(kinds).toEqual(['hold.placed', 'hold.lifted', 'device.attested'])
  })

  it('is not answered unsigned', async () => {
    const caller = await freshCaller()
    const unsigned = sendWith({ RECEIPT_SEED: undefined })
    const { status, body } = await call(caller, 'GET', '/api/events', undefined, unsigned)
    expect([status, body['error']]).toEqual([503, 'receipts_unavailable'])
  })
})

describe('the client', () => {
  it('reads page by page, and goes on where it stopped', async () => {
    const caller = await freshCaller()
    const { events } = caller.client
    await seeded(caller, 5, Date.now())
    const seen = []
    for await (const news of events.iterate({ limit: 2 })) seen.push(news)
    expect(seen.map((news) => news.events.length)).toEqual([2, 2, 1])
    const after = seen.at(-1)!.place
    expect(await events.read({ after })).toMatchObject({ events: [], missed: 0, place: after, total: 5 })
    await seeded(caller, KEPT_OF_FAMILY + 1, Date.now())
    expect(await events.read({ after, limit: 1 })).toMatchObject({ missed: 1, events: [{ sequence: 7 }] })
  })

  it('watches: what is there, and what comes', async () => {
    const caller = await freshCaller()
    await caller.client.security.placeHold()
    const seen: string[] = []
    for await (const { events } of caller.client.events.watch()) {
      seen.push(...events.map(({ kind }) => kind))
      if (seen.length > 1) break
      await caller.client.security.liftHold()
    }
    expect(seen).toEqual(['hold.placed', 'hold.lifted'])
  })
})

describe('a request that waits', () => {
  it('is answered when something happens', async () => {
    const caller = await freshCaller()
    const waiting = feed(caller, '?wait=25')
    await caller.client.security.placeHold()
    expect(told(await waiting)).toEqual(['hold.placed root'])
  })

  it('does not wait for what is there', async () => {
    const caller = await freshCaller()
    await caller.client.security.placeHold()
    expect(told(await feed(caller, '?wait=25'))).toEqual(['hold.placed root'])
  })

  it('ends with nothing after its time', async () => {
    const caller = await freshCaller()
    expect(told(await feed(caller, '?wait=1'))).toEqual([])
  })

  it('tells a device nothing that was revoked in the meantime', async () => {
    const caller = await freshCaller()
    const { device } = await deviceOf(caller, { fetch: send, capabilities: [] })
    const waiting = call({ ...caller, identity: device }, 'GET', '/api/events?cursor=1&wait=25')
    await caller.client.devices.revoke(device.deviceId)
    expect(await waiting).toMatchObject({ status: 401 })
  })

  it('gives its place to a later one of its key, as its client may have left', async () => {
    const caller = await freshCaller()
    const waiting = Array.from({ length: 5 }, () => feed(caller, '?wait=25'))
    expect(told(await Promise.race(waiting))).toEqual([])
    await caller.client.security.placeHold()
    const pages = (await Promise.all(waiting)).map(told)
    expect(pages.filter(({ length }) => length === 0)).toHaveLength(1)
    expect(pages.filter(({ length }) => length === 1)).toHaveLength(4)
  })

  it('is refused beside sixteen others', async () => {
    const caller = await freshCaller()
    const others = await Promise.all(
      Array.from({ length: 4 }, async () => (await deviceOf(caller, { fetch: send, capabilities: [] })).device),
    )
    const { head } = await feed(caller)
    const asks = others.flatMap((identity) => Array.from({ length: 4 }, () => ({ ...caller, identity })))
    const asked = [...asks, caller].map((one) => call(one, 'GET', `/api/events?cursor=${head.sequence}&wait=25`))
    // Nothing happens, so the first answer is that of the one for whom there is no place.
    expect(await Promise.race(asked)).toMatchObject({ status: 429, body: { code: 'rate_limited', retryAfter: 25 } })
    await caller.client.security.placeHold()
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    expect(statuses.toSorted((a, b) => a - b)).toEqual([...Array.from({ length: 16 }, () => 200), 429])
  })
})

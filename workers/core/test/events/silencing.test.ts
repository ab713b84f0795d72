/** What somebody with the stolen root key can do to the feed and the web hooks of its owner. */
import { runInDurableObject } from 'cloudflare:test'
import type { FeedEvent } from '@svc/protocol/events/events'
import { MAX_HOOK_DELIVERIES } from '@svc/protocol/events/hooks'
import { BEGINNING, type EventPlace, pageFault, placeAfter } from '@svc/protocol/events/page-fault'
import { deviceOf, type TestCaller } from '@svc/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { EventTransaction } from '../../src/events/transaction.ts'
import { freshCaller, send } from '../harness.ts'
import { at, DAY_MS, opened } from '../rotation/rotation.fixture.ts'
import { happen, objectOf, proved, Receiver, remove, ring, rowsOf, URL_OF_HOOK } from './hooks.fixture.ts'

let caller: TestCaller
let receiver: Receiver

beforeEach(async () => {
  caller = await freshCaller()
  receiver = new Receiver(caller.identity.did)
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

/** Everything after a place, each page verified as a reader does. */
async function readAll(after: EventPlace = BEGINNING): Promise<{ events: FeedEvent[]; place: EventPlace }> {
  const events: FeedEvent[] = []
  for (let place = after; ; ) {
    const news = await caller.client.events.read({ after: place, limit: 100 })
    expect(pageFault(news.signed.statement, place)).toBeNull()
    events.push(...news.events)
    place = placeAfter(news.signed.statement, place)
    if (place.sequence === news.total) return { events, place }
  }
}

/** Holds placed and lifted by the root key, and devices suspended and resumed, inside the object. */
const flood = (
  kinds: readonly ('hold.placed' | 'hold.lifted' | 'device.suspended' | 'device.resumed')[],
  times: number,
) =>
  runInDurableObject(objectOf(caller), ({ transaction, stored }) => {
    for (let n = 0; n < times; n++)
      stored.transact(() => transaction.events.add(kinds[n % kinds.length]!, 'root', Date.now()))
  })

describe('a thief with the root key', () => {
  it('does not push a pending rotation or a new device out of the feed by holds', async () => {
    const { device } = await deviceOf(caller, { fetch: send })
    const { rotation } = await opened(caller, 2)
    const { place } = await readAll()
    await flood(['hold.placed', 'hold.lifted'], 1_010)
    const { events } = await readAll()
    expect(events.map(({ kind, ref, count }) => [kind, ref, count])).toEqual([
      ['device.attested', device.deviceId, undefined],
      ['rotation.pending', rotation.rotationId, undefined],
      ['hold.placed', 'root', 505],
      ['hold.lifted', 'root', 505],
    ])
    const later = await caller.client.events.read({ after: place })
    expect(later).toMatchObject({ missed: 1_008, total: 1_012, events: [{ count: 505 }, { count: 505 }] })
  })

  it('does not push them out by other events of their family, for as long as they are pending', async () => {
    const { device } = await deviceOf(caller, { fetch: send })
    const { rotation } = await opened(caller, 2)
    await flood(['device.suspended', 'device.resumed'], 450)
    await runInDurableObject(objectOf(caller), ({ transaction, stored }) => {
      for (let n = 0; n < 210; n++)
        stored.transact(() => transaction.events.add('rotation.cancelled', `r${n}`, Date.now()))
    })
    const refs = (await readAll()).events.map(({ kind, ref }) => `${kind} ${ref}`)
    expect(refs).toContain(`device.attested ${device.deviceId}`)
    expect(refs).toContain(`rotation.pending ${rotation.rotationId}`)
    await caller.client.rotation.cancel(rotation.rotationId)
    const decided = (await readAll()).events.map(({ kind, ref }) => `${kind} ${ref}`)
    expect(decided).toContain(`rotation.cancelled ${rotation.rotationId}`)
    expect(decided).not.toContain(`rotation.pending ${rotation.rotationId}`)
  })

  it('does not use up the deliveries of the owner, nor those of what decides', async () => {
    await proved(caller, URL_OF_HOOK)
    for (let n = 0; n < 4; n++) await proved(caller, `https://thief.example.org/${n}`)
    at(Math.ceil(Date.now() / DAY_MS) * DAY_MS + DAY_MS / 2)
    for (let n = 0; n < 240; n++) {
      await happen(caller)
      await ring(caller)
    }
    const before = receiver.received.filter(({ url }) => url === URL_OF_HOOK)
    expect(before.length).toBe(MAX_HOOK_DELIVERIES)
    const { rotation } = await opened(caller, 2)
    await ring(caller)
    const told = receiver.received.filter(({ url }) => url === URL_OF_HOOK).slice(before.length)
    expect(told.flatMap(({ page }) => page.statement.events.map(({ ref }) => ref))).toContain(rotation.rotationId)
    for (let n = 0; n < 20; n++) await ring(caller)
    expect(receiver.received.filter(({ url }) => url === URL_OF_HOOK)).toHaveLength(before.length + told.length)
  })

  it('gets no other share by deleting hooks and adding others', async () => {
    at(Math.ceil(Date.now() / DAY_MS) * DAY_MS + DAY_MS / 2)
    const { hookId } = await proved(caller)
    for (let n = 0; n < MAX_HOOK_DELIVERIES; n++) {
      await happen(caller)
      await ring(caller)
    }
    await remove(caller, hookId)
    await ring(caller)
    expect(await rowsOf(caller)).toEqual([])
    await proved(caller)
    const { length } = receiver.received
    await happen(caller)
    await ring(caller)
    expect(receiver.received).toHaveLength(length)
  })

  it('leaves one event of a day of hooks', async () => {
    const own = await proved(caller)
    for (let n = 0; n < 4; n++) {
      const { hookId } = await proved(caller, 'https://thief.example.org/')
      await remove(caller, hookId)
      await ring(caller)
    }
    const { events } = await readAll()
    expect(events.map(({ kind, count }) => [kind, count])).toEqual([
      ['hook.added', undefined],
      ['hook.removed', 8],
    ])
    expect(events[0]?.ref).toBe(own.hookId)
  })
})

describe('a hook that is deleted', () => {
  const kindsOf = () => receiver.received.map(({ page }) => page.statement.events.map(({ kind }) => kind))
  const stands = async () => {
    const { device } = await deviceOf(caller, { fetch: send })
    at(Date.now() + 2 * DAY_MS)
    return device
  }

  it('is told so by a last page, and is then gone', async () => {
    const { hookId } = await proved(caller)
    expect(await remove(caller, hookId)).toEqual({ status: 200 })
    expect(await rowsOf(caller)).toMatchObject([{ status: 'removing' }])
    expect(await remove(caller, hookId)).toEqual({ status: 200 })
    await happen(caller)
    await ring(caller)
    expect(kindsOf()).toEqual([['hook.removed']])
    expect(await rowsOf(caller)).toEqual([])
    expect(await remove(caller, hookId)).toEqual({ status: 404 })
    await happen(caller)
    await ring(caller)
    expect(receiver.received).toHaveLength(1)
  })

  it('goes on for a window while a device has standing, and its owner is told at once', async () => {
    const { hookId } = await proved(caller)
    await stands()
    await ring(caller)
    const now = Date.now()
    await remove(caller, hookId)
    await remove(caller, hookId)
    const [row] = await rowsOf(caller)
    expect(row).toMatchObject({ status: 'removing', removesAt: now + DAY_MS })
    await ring(caller)
    const { rotation } = await opened(caller, 2)
    await ring(caller)
    expect(kindsOf().slice(1)).toEqual([['hook.removing'], ['rotation.pending']])
    expect(receiver.received.at(-1)?.page.statement.events[0]?.ref).toBe(rotation.rotationId)
    at(now + DAY_MS)
    await ring(caller)
    expect(receiver.events.at(-1)).toBe('hook.removed')
    expect(await rowsOf(caller)).toEqual([])
  })

  it('is kept by a proof of its address', async () => {
    const { hookId } = await proved(caller)
    await stands()
    await remove(caller, hookId)
    expect((await caller.client.events.verifyHook(hookId)).status).toBe('active')
    at(Date.now() + 2 * DAY_MS)
    await happen(caller)
    await ring(caller)
    expect(await rowsOf(caller)).toMatchObject([{ status: 'active', removesAt: null }])
  })

  it('is sent its last page again after a crash, and then gone', async () => {
    const { hookId } = await proved(caller)
    await remove(caller, hookId)
    await runInDurableObject(objectOf(caller), async (object) => {
      const settled = vi.spyOn(object.transaction.events.hooks, 'delivered').mockImplementationOnce(() => {
        throw new Error('the object dies here')
      })
      await object.deliver().catch(() => {})
      settled.mockRestore()
    })
    expect(await rowsOf(caller)).toHaveLength(1)
    await ring(caller)
    expect(kindsOf()).toEqual([['hook.removed'], ['hook.removed']])
    expect(await rowsOf(caller)).toEqual([])
  })

  it.each([410, 500])('is gone without its last page if the address answers %i, within three days', async (status) => {
    const { hookId } = await proved(caller)
    receiver.answer = () => new Response(null, { status })
    await remove(caller, hookId)
    await ring(caller)
    at(Date.now() + 3 * DAY_MS)
    await ring(caller)
    expect(await rowsOf(caller)).toEqual([])
  })

  it('is deleted or kept, and told so, by twenty deletions and proofs at once', async () => {
    const { hookId } = await proved(caller)
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        n % 4 === 0 ? caller.client.events.verifyHook(hookId).catch(() => null) : remove(caller, hookId),
      ),
    )
    const [row] = await rowsOf(caller)
    for (let n = 0; n < 3; n++) await ring(caller)
    const last = receiver.events.at(-1)
    expect(last).toBe(row?.status === 'active' ? 'hook.added' : 'hook.removed')
    expect(await rowsOf(caller)).toHaveLength(row?.status === 'active' ? 1 : 0)
    const events = await runInDurableObject(objectOf(caller), ({ transaction }) =>
      new EventTransaction(transaction).due(Date.now()),
    )
    expect(events).toEqual([])
  })
})

import { runInDurableObject } from 'cloudflare:test'
import { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import type { TestCaller } from '@svc/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { deliverPages } from '../../src/events/hook-courier.ts'
import { EventTransaction } from '../../src/events/transaction.ts'
import { CORE, freshCaller } from '../harness.ts'
import { happen, objectOf, proved, Receiver, remove, ring, rowsOf, URL_OF_HOOK, verification } from './hooks.fixture.ts'

const HOUR_MS = 3_600_000
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

const clockAt = (at: number) => vi.useFakeTimers({ now: at, toFake: ['Date'] })
const later = (milliseconds: number) => clockAt(Date.now() + milliseconds)

describe('a delivery that fails', () => {
  const failing = async () => {
    const [row] = await rowsOf(caller)
    return row
  }

  it.each<[string, Receiver['answer'], string]>([
    ['a refusal', () => new Response(null, { status: 500 }), 'status'],
    ['a redirect', () => Response.redirect('https://elsewhere.example.org/', 308), 'redirect'],
    ['no connection', () => Promise.reject(new TypeError('unreachable')), 'unreachable'],
  ])('with %s is repeated, later each time, under an id that names its events', async (_, answer, failure) => {
    const { hookId } = await proved(caller)
    receiver.answer = answer
    const start = Date.now()
    clockAt(start)
    const waits: number[] = []
    for (let n = 0; n < 5; n++) {
      await ring(caller)
      const { nextAttemptAt, delivered, ...row } = (await failing())!
      expect([row.failure, delivered]).toEqual([failure, 0])
      waits.push(((nextAttemptAt ?? 0) - Date.now()) / 1000)
      clockAt(nextAttemptAt ?? 0)
    }
    for (const [n, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual(8 * 2 ** n)
      expect(wait).toBeLessThanOrEqual(12 * 2 ** n)
    }
    await happen(caller)
    receiver.answer = () => new Response(null)
    await ring(caller)
    const ids = receiver.received.map(({ id }) => id)
    expect(ids).toEqual([...Array.from({ length: 5 }, () => `${hookId}.1`), `${hookId}.2`])
    expect(receiver.received.at(-1)?.page.statement.events.map(({ kind }) => kind)).toEqual([
      'hook.added',
      'inbox.message',
    ])
    expect(await failing()).toMatchObject({ delivered: 2, failure: null, nextAttemptAt: null })
  })

  it('waits as long as the address asks, up to an hour', async () => {
    await proved(caller)
    clockAt(Date.now())
    receiver.answer = () => new Response(null, { status: 429, headers: { 'retry-after': '600' } })
    await ring(caller)
    expect((await failing())?.nextAttemptAt).toBe(Date.now() + 600_000)
    const date = new Date(Date.now() + 600_000 + 120_000).toUTCString()
    receiver.answer = () => new Response(null, { status: 503, headers: { 'retry-after': date } })
    later(600_000)
    await ring(caller)
    expect(((await failing())?.nextAttemptAt ?? 0) - Date.now()).toBeGreaterThan(118_000)
    receiver.answer = () => new Response(null, { status: 503, headers: { 'retry-after': '999999' } })
    later(120_000)
    await ring(caller)
    expect((await failing())?.nextAttemptAt).toBe(Date.now() + HOUR_MS)
  })

  it('ends the hook after three days, which the feed says; a new proof revives it', async () => {
    const { hookId } = await proved(caller)
    receiver.answer = () => new Response(null, { status: 500 })
    clockAt(Date.now())
    await ring(caller)
    later(71 * HOUR_MS)
    await ring(caller)
    expect(await failing()).toMatchObject({ status: 'active' })
    later(2 * HOUR_MS)
    await ring(caller)
    expect(await failing()).toMatchObject({ status: 'disabled', failure: 'status', nextAttemptAt: null })
    const told = await runInDurableObject(objectOf(caller), ({ transaction }) => transaction.events.after(0, 10))
    expect(told.map(({ kind, ref }) => [kind, ref]).at(-1)).toEqual(['hook.disabled', hookId])
    receiver.answer = () => new Response(null)
    await ring(caller)
    expect(await failing()).toMatchObject({ status: 'disabled' })
    expect((await verification(caller, hookId)).status).toBe(200)
    await ring(caller)
    expect(await failing()).toMatchObject({ status: 'active', delivered: 3, failure: null })
  })

  it('by 410 ends the hook at once, and it is forgotten after a month', async () => {
    await proved(caller)
    receiver.answer = () => new Response(null, { status: 410 })
    await ring(caller)
    expect(await failing()).toMatchObject({ status: 'disabled' })
    later(30 * 24 * HOUR_MS)
    await ring(caller)
    expect(await rowsOf(caller)).toEqual([])
  })

  it('ends after five seconds, also in the middle of an answer', async () => {
    await proved(caller)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    receiver.answer = () => {
      vi.advanceTimersByTime(5_000)
      return Promise.reject(new DOMException('aborted', 'AbortError'))
    }
    await ring(caller)
    expect(await failing()).toMatchObject({ failure: 'timeout', delivered: 0 })
  })

  it('counts towards two hundred in a day of its hook, and of the hooks before in its place', async () => {
    const { hookId } = await proved(caller)
    const noon = Date.UTC(2030, 0, 1, 12)
    clockAt(noon)
    await runInDurableObject(objectOf(caller), ({ stored }) => {
      stored.facts.put('hookDay', { day: Math.floor(noon / 86_400_000), sent: [199, 0, 0, 0, 0] })
    })
    receiver.answer = () => new Response(null, { status: 500 })
    await ring(caller)
    expect(receiver.received).toHaveLength(1)
    receiver.answer = () => new Response(null, { status: 410 })
    await remove(caller, hookId)
    later(HOUR_MS)
    await ring(caller)
    expect(receiver.received).toHaveLength(2)
    await proved(caller)
    await ring(caller)
    expect(receiver.received).toHaveLength(2)
    expect((await failing())?.nextAttemptAt).toBe(Date.UTC(2030, 0, 2))
    clockAt(Date.UTC(2030, 0, 2))
    await ring(caller)
    expect(receiver.received).toHaveLength(3)
  })

  it('keeps its pause when something decisive happens, and is not put off until the next day then', async () => {
    await proved(caller)
    const noon = Date.UTC(2030, 0, 1, 12)
    clockAt(noon)
    receiver.answer = () => new Response(null, { status: 500 })
    await ring(caller)
    const pause = (await failing())?.nextAttemptAt
    await runInDurableObject(objectOf(caller), ({ stored, transaction }) => {
      stored.facts.put('hookDay', { day: Math.floor(noon / 86_400_000), sent: [200, 0, 0, 0, 0] })
      stored.transact(() => transaction.events.add('rotation.pending', 'r', Date.now()))
    })
    expect((await failing())?.nextAttemptAt).toBe(pause)
    clockAt(pause ?? 0)
    await ring(caller)
    expect(receiver.received).toHaveLength(2)
    const wait = ((await failing())?.nextAttemptAt ?? 0) - Date.now()
    expect(wait).toBeLessThan(HOUR_MS)
  })

  it('put off until the next day is made up for when something decisive happens', async () => {
    await proved(caller)
    const noon = Date.UTC(2030, 0, 1, 12)
    clockAt(noon)
    await runInDurableObject(objectOf(caller), ({ stored }) => {
      stored.facts.put('hookDay', { day: Math.floor(noon / 86_400_000), sent: [200, 0, 0, 0, 0] })
    })
    await ring(caller)
    expect(receiver.received).toHaveLength(0)
    await runInDurableObject(objectOf(caller), ({ stored, transaction }) =>
      stored.transact(() => transaction.events.add('rotation.pending', 'r', Date.now())),
    )
    await ring(caller)
    expect(receiver.events).toEqual(['hook.added', 'rotation.pending'])
  })

  it('is put off for an hour if the deployment has no key to sign with', async () => {
    await proved(caller)
    clockAt(Date.now())
    await runInDurableObject(objectOf(caller), async ({ transaction }) => {
      const events = new EventTransaction(transaction)
      await deliverPages(events, new DeploymentSigner(undefined, [CORE]), { ownHosts: [], isLocal: false })
    })
    expect(receiver.received).toEqual([])
    expect(await failing()).toMatchObject({ status: 'active', failure: null, nextAttemptAt: Date.now() + HOUR_MS })
  })

  it('is the last if the address has become one of the deployment', async () => {
    await proved(caller)
    await runInDurableObject(objectOf(caller), async ({ transaction }) => {
      const signer = new DeploymentSigner('0a'.repeat(32), [CORE])
      await deliverPages(new EventTransaction(transaction), signer, { ownHosts: ['example.org'], isLocal: false })
    })
    expect(receiver.received).toEqual([])
    expect(await failing()).toMatchObject({ status: 'disabled' })
  })

  it('does not keep the object from its other work if it cannot be recorded', async () => {
    await proved(caller)
    await runInDurableObject(objectOf(caller), async (object) => {
      const { hooks } = object.transaction.events
      const broken = vi.spyOn(hooks, 'delivered').mockImplementationOnce(() => {
        throw new Error('full')
      })
      const pruned = vi.spyOn(hooks, 'prune')
      await expect(object.alarm()).rejects.toThrow('full')
      expect(pruned).toHaveBeenCalled()
      broken.mockRestore()
      pruned.mockRestore()
    })
    await ring(caller)
    expect(await failing()).toMatchObject({ delivered: 1 })
  })

  it('leaves the others alone', async () => {
    await proved(caller)
    await proved(caller, 'https://other.example.org/')
    await happen(caller)
    receiver.answer = () => {
      const { url } = receiver.received.at(-1)!
      return new Response(null, { status: url === URL_OF_HOOK ? 500 : 200 })
    }
    await ring(caller)
    expect(await rowsOf(caller)).toMatchObject([
      { delivered: 0, failure: 'status' },
      { delivered: 3, failure: null },
    ])
  })
})

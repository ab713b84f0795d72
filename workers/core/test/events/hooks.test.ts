import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { TestCaller } from '@svc/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CORE, call, freshCaller, sendWith } from '../harness.ts'
import {
  created,
  happen,
  objectOf,
  proved,
  Receiver,
  remove,
  ring,
  rowsOf,
  URL_OF_HOOK,
  verification,
} from './hooks.fixture.ts'

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

describe('a hook', () => {
  it('tells of nothing until its address has proved itself', async () => {
    await created(caller)
    await happen(caller)
    await ring(caller)
    expect(receiver.received).toEqual([])
    expect(await rowsOf(caller)).toMatchObject([{ status: 'pending', delivered: 0, nextAttemptAt: null }])
  })

  it('tells of what happened since it was created, in order, each event once', async () => {
    await happen(caller)
    const { hookId } = await proved(caller)
    await ring(caller)
    await happen(caller, 2)
    await ring(caller)
    expect(receiver.events).toEqual(['hook.added', 'inbox.message', 'inbox.message'])
    expect(receiver.received.map(({ url, id }) => [url, id])).toEqual([
      [URL_OF_HOOK, `${hookId}.2`],
      [URL_OF_HOOK, `${hookId}.4`],
    ])
    const [{ page } = {}] = receiver.received
    expect(page?.statement).toMatchObject({ did: caller.identity.did, after: 1, missed: 0, head: { sequence: 2 } })
    expect(await rowsOf(caller)).toMatchObject([{ delivered: 4, failure: null, nextAttemptAt: null }])
    expect(await ring(caller)).toBeDefined()
    expect(receiver.received).toHaveLength(2)
  })

  it('goes on after a page', async () => {
    await proved(caller)
    await happen(caller, 120)
    for (let n = 0; n < 4; n++) await ring(caller)
    expect(receiver.received.map(({ page }) => page.statement.events.length)).toEqual([50, 50, 21])
    expect(receiver.events).toHaveLength(121)
  })

  it('is told of again after a crash between the delivery and its record', async () => {
    const { hookId } = await proved(caller)
    const alarm = runInDurableObject(objectOf(caller), async (object) => {
      const settled = vi.spyOn(object.transaction.events.hooks, 'delivered').mockImplementationOnce(() => {
        throw new Error('the object dies here')
      })
      await object.deliver().catch(() => {})
      settled.mockRestore()
    })
    await alarm
    await evictDurableObject(objectOf(caller))
    await ring(caller)
    expect(receiver.received.map(({ id }) => id)).toEqual([`${hookId}.1`, `${hookId}.1`])
    expect(await rowsOf(caller)).toMatchObject([{ delivered: 1 }])
  })

  it('is listed for the owner and gone when deleted, which the feed says', async () => {
    const { hookId } = await proved(caller)
    await ring(caller)
    expect(await call(caller, 'GET', '/api/events/hooks')).toMatchObject({
      status: 200,
      body: { data: { hooks: [{ hookId, url: URL_OF_HOOK, status: 'active', delivered: 1 }] } },
    })
    expect(await remove(caller, hookId)).toEqual({ status: 200 })
    await ring(caller)
    expect(await remove(caller, hookId)).toEqual({ status: 404 })
    await happen(caller)
    await ring(caller)
    expect(receiver.events).toEqual(['hook.added', 'hook.removed'])
    const { body } = await call(caller, 'GET', '/api/events')
    expect(JSON.stringify(body)).toContain('hook.removed')
  })

  it('is forgotten if its address was not proved in a day', async () => {
    await created(caller)
    later(24 * HOUR_MS)
    await ring(caller)
    expect(await rowsOf(caller)).toEqual([])
  })

  it('is one of five, however many are made at once', async () => {
    const many = await Promise.all(
      Array.from({ length: 20 }, () => call(caller, 'POST', '/api/events/hooks', { url: URL_OF_HOOK })),
    )
    const refused = many.filter(({ status }) => status !== 201)
    expect(many.length - refused.length).toBe(5)
    for (const { status, body } of refused)
      expect({ status, body }).toMatchObject({ status: 409, body: { error: 'hook_limit' } })
    expect(await rowsOf(caller)).toHaveLength(5)
  })

  it('does not outlive an identity that was deactivated, whose end it tells', async () => {
    await proved(caller)
    await ring(caller)
    await caller.client.security.deactivate()
    await ring(caller)
    expect(receiver.events.at(-1)).toBe('deactivation.active')
    const left = await runInDurableObject(objectOf(caller), ({ transaction }) => transaction.events.hooks.list())
    expect(left).toEqual([])
  })
})

describe('an address', () => {
  it.each(['http://hooks.example.org/', 'https://127.0.0.1/', 'https://core.test/', 'https://printer.local/'])(
    'is refused: %s',
    async (url) => {
      const refused = await call(caller, 'POST', '/api/events/hooks', { url })
      expect(refused).toMatchObject({ status: 400 })
      expect(JSON.stringify(refused.body)).toContain('hook_address_refused')
      expect(await rowsOf(caller)).toEqual([])
    },
  )

  it.each(['https://core.example.org/', 'https://a.docs.example.org/', 'https://keys.example.org/hook'])(
    'is refused if the deployment answers there: %s',
    async (url) => {
      const deployed = sendWith({
        PUBLIC_ORIGINS: [CORE, 'https://core.example.org'],
        SERVICES: { ...env.SERVICES, keys: 'https://keys.example.org' },
        DOCS_URL: 'https://docs.example.org',
      })
      const refused = await call(caller, 'POST', '/api/events/hooks', { url }, deployed)
      expect(refused).toMatchObject({ status: 400, body: { error: 'hook_address_refused' } })
    },
  )

  it.each<[string, Receiver['proof']]>([
    ['repeats what it got', (challenge) => Response.json({ challenge })],
    ['names another identity', (challenge) => Response.json({ did: `did:svc:${'A'.repeat(32)}`, challenge })],
    ['answers another challenge', (_, did) => Response.json({ did, challenge: 'A'.repeat(43) })],
    ['answers with a redirect', () => Response.redirect('https://elsewhere.example.org/', 307)],
    ['answers with another status', (challenge, did) => Response.json({ did, challenge }, { status: 201 })],
    ['answers with too much', (challenge, did) => new Response(JSON.stringify({ did, challenge }).padEnd(2_000))],
    ['answers with no JSON', () => new Response('ok')],
    ['answers with nothing', () => new Response(null)],
    ['cannot be reached', () => Promise.reject(new TypeError('unreachable'))],
  ])('has not proved itself if it %s', async (_, proof) => {
    const { hookId } = await created(caller)
    receiver.proof = proof
    const refused = await verification(caller, hookId)
    expect(refused).toMatchObject({ status: 409, body: { error: 'hook_not_proved' } })
    await happen(caller)
    await ring(caller)
    expect(receiver.received).toEqual([])
  })

  it('has not proved itself if its answer does not end in five seconds', async () => {
    const { hookId } = await created(caller)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    receiver.proof = () =>
      new Response(
        new ReadableStream({
          start(controller) {
            receiver.signal?.addEventListener('abort', () => controller.error(new DOMException('late', 'AbortError')))
            controller.enqueue(new TextEncoder().encode('{'))
            vi.advanceTimersByTime(5_000)
          },
        }),
      )
    expect(await verification(caller, hookId)).toMatchObject({ status: 409, body: { error: 'hook_not_proved' } })
  })

  it('is asked once it has proved itself no more, and each time with another challenge', async () => {
    const { hookId } = await created(caller)
    receiver.proof = () => new Response(null, { status: 503 })
    await verification(caller, hookId)
    receiver.proof = (challenge, did) => Response.json({ did, challenge })
    for (let n = 0; n < 3; n++) expect((await verification(caller, hookId)).status).toBe(200)
    expect(new Set(receiver.challenged).size).toBe(2)
    expect(receiver.challenged).toHaveLength(2)
    expect((await verification(caller, 'A'.repeat(22))).status).toBe(404)
  })

  it('is asked ten times in an hour at most', async () => {
    const { hookId } = await created(caller)
    receiver.proof = () => new Response(null, { status: 503 })
    const statuses = []
    for (let n = 0; n < 11; n++) statuses.push((await verification(caller, hookId)).status)
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 409), 429])
    expect(receiver.challenged).toHaveLength(10)
  })

  it('of somebody else is not told, listed or deleted', async () => {
    const { hookId } = await proved(caller)
    const other = await freshCaller()
    expect((await verification(other, hookId)).status).toBe(404)
    expect(await remove(other, hookId)).toEqual({ status: 404 })
    expect(await call(other, 'GET', '/api/events/hooks')).toMatchObject({ body: { data: { hooks: [] } } })
  })
})

it('a deployment without a receipt key asks no address and sends nothing', async () => {
  const { hookId } = await created(caller)
  const url = `${CORE}/api/events/hooks/${hookId}/verification`
  const authorization = await caller.identity.assertion({ audience: 'chain', method: 'POST', url, now: Date.now() })
  const request = new Request(url, { method: 'POST', headers: { authorization, 'cf-connecting-ip': caller.address } })
  const response = await sendWith({ RECEIPT_SEED: undefined })(request)
  expect([response.status, await response.json()]).toMatchObject([503, { error: 'receipts_unavailable' }])
  expect(receiver.challenged).toEqual([])
})

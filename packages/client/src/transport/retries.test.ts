import { describe, expect, it } from 'vitest'
import { REALM } from '../../test/realm.ts'
import { Identity } from '../identity/identity.ts'
import type { Call } from './call.ts'
import type { Fetch, FetchInit } from './fetch.ts'
import type { RetryOptions } from './retries.ts'
import { Transport, type TransportOptions } from './transport.ts'

const alice = await Identity.fromSeeds({ signing: new Uint8Array(32).fill(1), kem: new Uint8Array(32).fill(2) })
const read: Call = { method: 'GET', url: 'https://core.test/api/chain/head', audience: 'chain' }
const append: Call = { method: 'POST', url: 'https://core.test/api/chain/append', audience: 'chain', body: { a: 1 } }
const mail: Call = { method: 'POST', url: 'https://core.test/api/inbox/resend-otp', body: { a: 1 } }
const ok = () => Response.json({ success: true, data: null })
const refused = (status: number, error?: string, headers: Record<string, string> = {}) =>
  Response.json({ success: false, error }, { status, headers })
const broken = () => {
  throw new TypeError('fetch failed')
}
const tier = (seconds: number) =>
  Response.json(
    { success: false, error: 'Rate limit exceeded', tier: 'read' },
    { status: 429, headers: { 'retry-after': `${seconds}` } },
  )

/** Answers in turn, with the last answer from then on; a transport that waits in no time and takes every pause whole. */
function over(answers: readonly (() => Response)[], options: Partial<TransportOptions> = {}) {
  const sent: FetchInit[] = []
  const pauses: number[] = []
  const fetch: Fetch = async (_url, init) => {
    sent.push(init)
    return (answers[Math.min(sent.length, answers.length) - 1] as () => Response)()
  }
  const sleep = async (ms: number) => {
    pauses.push(ms)
  }
  const transport = new Transport({ realm: REALM, fetch, sleep, random: () => 1, ...options }, alice)
  return { sent, pauses, transport }
}
const credentials = (sent: readonly FetchInit[]) => new Set(sent.map(({ headers }) => headers['authorization']))

describe('a read', () => {
  it.each([
    ['a broken connection', broken],
    ['503 dependency_unavailable', () => refused(503, 'dependency_unavailable')],
    ['503 without a name', () => refused(503)],
    ['502 of a proxy', () => new Response('<html>', { status: 502 })],
    ['429', () => tier(1)],
  ])('is sent again after %s, each time with a new assertion', async (_, answer) => {
    const { sent, transport } = over([answer, answer, ok])
    expect((await transport.send(read)).status).toBe(200)
    expect(sent).toHaveLength(3)
    expect(credentials(sent).size).toBe(3)
  })

  it('is sent again when the connection breaks in its answer', async () => {
    const half = () =>
      new Response(
        new ReadableStream({
          start(controller) {
            controller.enqueue(new Uint8Array(3))
            controller.error(new TypeError('terminated'))
          },
        }),
      )
    const { sent, transport } = over([half, ok])
    expect(await (await transport.send(read)).json()).toMatchObject({ success: true })
    expect(sent).toHaveLength(2)
  })

  it.each([
    ['a deployment without a log', () => refused(503, 'log_unavailable')],
    ['a full index', () => refused(503, 'index_full')],
    ['an internal error', () => refused(500, 'internal_error')],
    ['a refusal', () => refused(409, 'stale_head')],
    ['a missing record', () => refused(404, 'not_found')],
  ])('is not sent again after %s', async (_, answer) => {
    const { sent, transport } = over([answer, ok])
    await expect(transport.send(read)).rejects.toMatchObject({ retryable: false, attempts: 1 })
    expect(sent).toHaveLength(1)
  })
})

describe('a write', () => {
  it('that the service takes once is sent again, the same bytes', async () => {
    const { sent, transport } = over([broken, () => refused(503, 'dependency_unavailable'), ok])
    await transport.send(append)
    expect(new Set(sent.map(({ body }) => new TextDecoder().decode(body)))).toEqual(new Set(['{"a":1}']))
    expect(credentials(sent).size).toBe(3)
  })

  it.each([
    ['a broken connection', broken],
    ['a 503', () => refused(503, 'dependency_unavailable')],
    ['a lost answer', () => new Response(null, { status: 504 })],
  ])('that could count twice is not sent again after %s', async (_, answer) => {
    const { sent, transport } = over([answer, ok])
    await expect(transport.send(mail)).rejects.toMatchObject({ attempts: 1 })
    expect(sent).toHaveLength(1)
  })

  it('that could count twice is sent again after 429, which is decided before it', async () => {
    const { sent, transport } = over([() => tier(1), ok])
    await transport.send(mail)
    expect(sent).toHaveLength(2)
  })

  it('with an idempotency key is sent again', async () => {
    const { sent, transport } = over([broken, ok])
    await transport.send({ ...mail, url: 'https://pay.test/pay/intent', headers: { 'Idempotency-Key': 'k' } })
    expect(sent).toHaveLength(2)
  })
})

describe('pauses', () => {
  it('double, up to the longest', async () => {
    const { pauses, transport } = over([broken], { retries: { attempts: 6, baseDelayMs: 100, maxDelayMs: 500 } })
    await expect(transport.send(read)).rejects.toThrow()
    expect(pauses).toEqual([100, 200, 400, 500, 500])
  })

  it('are a random part of that', async () => {
    const { pauses, transport } = over([broken, broken, ok], { random: () => 0.25, retries: { baseDelayMs: 100 } })
    await transport.send(read)
    expect(pauses).toEqual([25, 50])
  })

  it('are as long as the service asks for', async () => {
    const { pauses, transport } = over([() => tier(2), ok], { random: () => 0 })
    await transport.send(read)
    expect(pauses).toEqual([2000])
  })

  it('are not longer than allowed: the refusal is told at once', async () => {
    const { sent, transport } = over([() => tier(60), ok])
    await expect(transport.send(read)).rejects.toMatchObject({ retryAfterSeconds: 60, retryable: true, attempts: 1 })
    expect(sent).toHaveLength(1)
  })

  it('end when the caller aborts', async () => {
    const controller = new AbortController()
    const reason = new Error('enough')
    const { sent, transport } = over([broken], {
      sleep: async (_, signal) => {
        controller.abort(reason)
        signal?.throwIfAborted()
      },
    })
    await expect(transport.send({ ...read, signal: controller.signal })).rejects.toBe(reason)
    expect(sent).toHaveLength(1)
  })
})

describe('the options', () => {
  it('say how often', async () => {
    const { sent, transport } = over([broken], { retries: { attempts: 5 } })
    await expect(transport.send(read)).rejects.toMatchObject({ name: 'ConnectionError', attempts: 5, retryable: true })
    expect(sent).toHaveLength(5)
  })

  it('turn retries off', async () => {
    const { sent, transport } = over([broken], { retries: false })
    await expect(transport.send(read)).rejects.toMatchObject({ attempts: 1 })
    expect(sent).toHaveLength(1)
  })

  it('limit what all calls repeat together, until answers come', async () => {
    let isUp = false
    const answer = () => (isUp ? ok() : broken())
    const { sent, transport } = over([answer], { retries: { budget: 3 } })
    for (let i = 0; i < 4; i++) await expect(transport.send(read)).rejects.toThrow()
    expect(sent).toHaveLength(4 + 3)
    isUp = true
    for (let i = 0; i < 10; i++) await transport.send(read)
    isUp = false
    await expect(transport.send(read)).rejects.toMatchObject({ attempts: 2 })
  })

  it.each<[string, RetryOptions]>([
    ['retries.attempts', { attempts: 0 }],
    ['retries.attempts', { attempts: 1.5 }],
    ['retries.maxDelayMs', { maxDelayMs: -1 }],
    ['retries.baseDelayMs', { baseDelayMs: Number.NaN }],
    ['retries.budget', { budget: Number.POSITIVE_INFINITY }],
  ])('are refused with a wrong %s', (option, retries) => {
    expect(() => new Transport({ realm: REALM, retries })).toThrow(expect.objectContaining({ option }))
  })
})

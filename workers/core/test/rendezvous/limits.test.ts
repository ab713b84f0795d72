import { type Exchange, type Probe, Prober } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { service } from '../../src/app.ts'
import { CORE, send } from '../harness.ts'
import { MADE_UP_CODE } from './meeting.fixture.ts'

const prober = new Prober({ service, send, base: CORE })
const code = MADE_UP_CODE
/** Without a credential: limits are counted before the caller is known. */
const PAIR: readonly Probe[] = [
  { method: 'POST', path: '/api/pair/offer' },
  { method: 'GET', path: `/api/pair/offer/${code}` },
  { method: 'HEAD', path: `/api/pair/offer/${code}` },
  { method: 'DELETE', path: `/api/pair/offer/${code}` },
  { method: 'POST', path: `/api/pair/offer/${code}/join` },
  { method: 'POST', path: '/api/pair/seal' },
  { method: 'GET', path: `/api/pair/seal/${code}` },
]
const RELAY: readonly Probe[] = [
  { method: 'POST', path: '/api/authorize/offer' },
  { method: 'GET', path: `/api/authorize/offer/${code}` },
  { method: 'DELETE', path: `/api/authorize/offer/${code}` },
  { method: 'POST', path: `/api/authorize/offer/${code}/join` },
  { method: 'POST', path: '/api/authorize/grant' },
  { method: 'GET', path: `/api/authorize/grant/${code}` },
]

/** Sends probes in turn from one address, all within one minute of the clock: the local limiter’s window. */
async function sentInOneMinute(probes: readonly Probe[]): Promise<Exchange[]> {
  for (;;) {
    const minute = Math.floor(Date.now() / 60_000)
    const [a = 0, b = 0] = crypto.getRandomValues(new Uint16Array(2))
    const address = `2001:db8:${a.toString(16)}:${b.toString(16)}::1`
    const exchanges: Exchange[] = []
    for (const probe of probes) exchanges.push(await prober.send({ ...probe, address }))
    if (Math.floor(Date.now() / 60_000) === minute) return exchanges
  }
}

describe('the limit of pairing', () => {
  it('is twenty in 60 seconds per address, over all paths and methods together', async () => {
    const twenty = Array.from({ length: 20 }, (_, i) => PAIR[i % PAIR.length] as Probe)
    const exchanges = await sentInOneMinute([...twenty, ...PAIR, ...RELAY])
    expect(new Set(exchanges.slice(0, 20).map(({ status }) => status))).toEqual(new Set([401]))
    const beyond = exchanges.slice(20, 20 + PAIR.length)
    expect(beyond.map(({ status }) => status)).toEqual(PAIR.map(() => 429))
    for (const { body, headers } of beyond.filter((_, i) => PAIR[i]?.method !== 'HEAD')) {
      expect(body).toMatchObject({ code: 'rate_limited', retryAfter: 60 })
      expect(headers.get('retry-after')).toBe('60')
    }
    const relayed = exchanges.slice(20 + PAIR.length)
    expect(relayed.map(({ status }) => status)).toEqual(RELAY.map(() => 401))
  })

  it('counts what no route takes as well: other methods and unknown paths', async () => {
    const unrouted: readonly Probe[] = [
      { method: 'PUT', path: '/api/pair/offer' },
      { method: 'PATCH', path: `/api/pair/seal/${code}` },
      { method: 'GET', path: '/api/pair/seal' },
      { method: 'GET', path: '/api/pair/nothing/at/all' },
      { method: 'OPTIONS', path: '/api/pair/offer' },
    ]
    const twenty = Array.from({ length: 20 }, (_, i) => unrouted[i % unrouted.length] as Probe)
    const exchanges = await sentInOneMinute([...twenty, ...PAIR, ...unrouted, ...RELAY])
    const statuses = exchanges.map(({ status }) => status)
    expect(statuses.slice(0, unrouted.length)).toEqual([405, 405, 405, 404, 200])
    expect(statuses.slice(0, 20)).not.toContain(429)
    const refused = PAIR.length + unrouted.length
    expect(new Set(statuses.slice(20, 20 + refused))).toEqual(new Set([429]))
    expect(exchanges.at(20 + refused - 1)?.body).toMatchObject({ code: 'rate_limited', retryAfter: 60 })
    expect(new Set(statuses.slice(20 + refused))).toEqual(new Set([401]))
  })

  it('does not apply to the relay, whose routes are limited by tier only', async () => {
    const thirty = Array.from({ length: 30 }, (_, i) => RELAY[i % RELAY.length] as Probe)
    const exchanges = await sentInOneMinute([...thirty, ...PAIR])
    expect(new Set(exchanges.map(({ status }) => status))).toEqual(new Set([401]))
  })
})

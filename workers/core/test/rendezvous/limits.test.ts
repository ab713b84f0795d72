import { Client, ServiceError } from '@svc/client'
import { type Exchange, type Probe, Prober } from '@svc/service/testing'
import { fetchOf } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { service } from '../../src/app.ts'
import { CORE, freshCaller, send } from '../harness.ts'
import { FLOWS, freshDevice, freshParty, MADE_UP_CODE, Meeting, WRONG_TOKEN } from './meeting.fixture.ts'

const prober = new Prober({ service, send, base: CORE })
const code = MADE_UP_CODE
/** Without a credential: limits are counted before the caller is known. */
const PAIR: readonly Probe[] = [
  { method: 'POST', path: '/api/pair/offer' },
  { method: 'GET', path: `/api/pair/offer/${code}` },
  { method: 'HEAD', path: `/api/pair/offer/${code}` },
  { method: 'DELETE', path: `/api/pair/offer/${code}` },
  { method: 'GET', path: `/api/pair/offer/${code}/join` },
  { method: 'POST', path: `/api/pair/offer/${code}/join` },
  { method: 'POST', path: '/api/pair/seal' },
  { method: 'GET', path: `/api/pair/seal/${code}` },
]
const RELAY: readonly Probe[] = [
  { method: 'POST', path: '/api/authorize/offer' },
  { method: 'GET', path: `/api/authorize/offer/${code}` },
  { method: 'DELETE', path: `/api/authorize/offer/${code}` },
  { method: 'GET', path: `/api/authorize/offer/${code}/join` },
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

/**
 * A pairing by two devices behind one address, with everything that they send in the busiest minute: both ask at the
 * interval from its beginning to its end. Returns the statuses.
 */
async function pairedInOneMinute(): Promise<number[]> {
  for (;;) {
    const statuses: number[] = []
    const fetch = async (request: Request) => {
      const response = await send(request)
      if (new URL(request.url).pathname.startsWith('/api/pair/')) statuses.push(response.status)
      return response
    }
    const { client: owner, address } = await freshCaller({ fetch })
    const headers = { 'cf-connecting-ip': address }
    const device = new Client({ core: CORE, did: 'https://did.test', fetch: fetchOf(fetch), headers })
    const keys = await freshDevice()
    const minute = Math.floor(Date.now() / 60_000)

    const { invitation, pollIntervalMs } = await owner.pairing.offer()
    const { confirmationCode } = await device.pairing.join(invitation, keys)
    const questions = Math.floor(60_000 / pollIntervalMs) + 1
    for (let i = 1; i < questions; i++) {
      expect((await owner.pairing.read(invitation)).pollIntervalMs).toBe(pollIntervalMs)
      const early = await device.pairing.take(invitation, keys).catch((error: unknown) => error)
      expect(early).toBeInstanceOf(ServiceError)
      expect(early).toMatchObject({ status: 409, details: { pollIntervalMs } })
    }
    await owner.pairing.read(invitation)
    const attestation = await owner.pairing.approve(invitation, confirmationCode)
    await owner.pairing.seal(invitation, attestation)
    expect(await device.pairing.take(invitation, keys)).toMatchObject({ attestation })
    if (Math.floor(Date.now() / 60_000) === minute) return statuses
  }
}

describe('the interval at which devices ask', () => {
  it('lets two devices behind one address finish, whatever else they send', async () => {
    const statuses = await pairedInOneMinute()
    expect(statuses).not.toContain(429)
    expect(statuses.length).toBeGreaterThan(15)
    expect(statuses.length).toBeLessThanOrEqual(20)
  })
})

describe.each(FLOWS)('the questions about an offer: $name', (flow) => {
  afterEach(() => vi.useRealTimers())

  it('are limited for each side by itself, over all addresses', async () => {
    const meeting = await Meeting.at('joined', flow, await freshParty())
    const now = Date.now()
    vi.useFakeTimers({ toFake: ['Date'], now })
    const refused = { status: 429, body: { code: 'rate_limited', retryAfter: 60 } }
    for (let i = 0; i < 20; i++) expect((await meeting.read()).status).toBe(200)
    expect(await meeting.read()).toMatchObject(refused)
    for (let i = 0; i < 20; i++) expect((await meeting.take()).status).toBe(409)
    const beyond = await meeting.take()
    expect(beyond).toMatchObject(refused)
    expect(beyond.headers.get('retry-after')).toBe('60')
    // What is there is handed over, however often the device has asked.
    expect((await meeting.deliver()).status).toBe(200)
    vi.setSystemTime(now + 59_999)
    expect((await meeting.read()).status).toBe(429)
    vi.setSystemTime(now + 60_000)
    expect((await meeting.read()).status).toBe(200)
    vi.setSystemTime(now)
    expect((await meeting.take()).status).toBe(200)
  })

  it('are not used up by somebody without a credential', async () => {
    const party = await freshParty()
    const meeting = await Meeting.at('joined', flow, party)
    const stranger = await freshCaller()
    for (let i = 0; i < 21; i++) expect((await meeting.read(stranger)).status).toBe(404)
    for (let i = 0; i < 4; i++) expect((await meeting.take(WRONG_TOKEN)).status).toBe(401)
    expect((await meeting.read()).status).toBe(200)
    for (let i = 0; i < 20; i++) expect((await meeting.take()).status).toBe(409)
  })
})

import { env } from 'cloudflare:workers'
import type { Intent } from '@svc/protocol/pay/intents'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { call, caller, dataOf } from '../harness.ts'
import { deliver, eventOf, grantsOf, sessionOf, subscriptionOf } from './stripe.fixture.ts'

afterEach(() => vi.useRealTimers())

const DAY = 86_400_000
const count = (table: string) => env.DB.prepare(`SELECT count(*) AS n FROM ${table}`).first('n')

describe('after ninety days', () => {
  it('events go with those that come, and one that comes again changes nothing', async () => {
    const { did } = (await caller()).identity
    const now = Date.now()
    const of = (end: number, created: number) =>
      eventOf('customer.subscription.updated', subscriptionOf(did, { start: now, end }), { created })
    const first = of(now + 30 * DAY, now)
    await deliver(first)
    for (let i = 1; i <= 4; i++) await deliver(of(now + 30 * DAY, now + i * 1000))
    expect(await count('provider_events')).toBe(5)
    vi.setSystemTime(now + 89 * DAY)
    await deliver(of(now + 120 * DAY, now + 89 * DAY))
    expect(await count('provider_events')).toBe(6)
    vi.setSystemTime(now + 91 * DAY)
    await deliver(of(now + 121 * DAY, now + 91 * DAY))
    expect(await count('provider_events')).toBe(3)
    await deliver(of(now + 122 * DAY, now + 92 * DAY))
    expect(await count('provider_events')).toBe(3)
    const before = await grantsOf(did)
    expect((await deliver(first)).status).toBe(200)
    expect(await grantsOf(did)).toEqual(before)
  })

  it('intents go that nobody paid, and those that were paid stay', async () => {
    const by = await caller()
    const make = async (key: string) =>
      dataOf<Intent>(await call(by, 'POST', '/pay/intent', { body: { sku: 'provenance-pass-month' }, key })).id
    const [paid, open] = [await make('paid'), await make('open')]
    await deliver(eventOf('checkout.session.completed', sessionOf(paid, `cs_local_${paid}`)))
    const now = Date.now()
    vi.setSystemTime(now + 90 * DAY)
    expect(await make('open')).toBe(open)
    await make('later')
    expect(await count('intents')).toBe(3)
    vi.setSystemTime(now + 91 * DAY)
    const latest = await make('latest')
    const { results } = await env.DB.prepare('SELECT id, state FROM intents ORDER BY created_at').all()
    expect(results).toMatchObject([{ id: paid, state: 'paid' }, { state: 'open' }, { id: latest }])
    expect(await make('open')).not.toBe(open)
  })
})

import { createExecutionContext, createScheduledController, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { Entitlement } from '@svc/protocol/pay/entitlements'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import worker from '../../src/index.ts'
import { spansOf } from '../../src/reconciliation/rules.ts'
import { databaseWith } from '../database.fixture.ts'
import { call, caller, dataOf } from '../harness.ts'
import { deliver, eventOf, grantsOf, STRIPE, StripeAccount, subscriptionOf } from './stripe.fixture.ts'

const DAY = 86_400_000
const start = Math.floor(Date.now() / 1000) * 1000 - 5 * DAY
const period = { start, end: start + 30 * DAY }
const alarms: unknown[] = []
/** Of the run that raised it. */
const requestId = expect.any(String) as unknown

beforeEach(async () => {
  alarms.length = 0
  vi.spyOn(console, 'error').mockImplementation((line: string) => void alarms.push(JSON.parse(line)))
  await env.DB.batch(['reconciliation', 'dead_letters'].map((table) => env.DB.prepare(`DELETE FROM ${table}`)))
})
afterEach(() => vi.restoreAllMocks())

async function reconcile(now = Date.now(), replaced: object = {}): Promise<void> {
  const context = createExecutionContext()
  worker.scheduled(
    createScheduledController({ scheduledTime: new Date(now) }),
    { ...env, ...STRIPE, ...replaced },
    context,
  )
  await waitOnExecutionContext(context)
}
const subscribed = (did: string, created: number, changes: object = {}) =>
  eventOf('customer.subscription.updated', { ...subscriptionOf(did, period), ...changes }, { created })
const comparedUntil = () => env.DB.prepare('SELECT compared_until FROM reconciliation').first<number>('compared_until')

describe('the daily reconciliation', () => {
  it('applies what never arrived, in the order of time, over several pages, and says so', async () => {
    const [stripe, by] = [new StripeAccount(), await caller()]
    stripe.ledger.pageSize = 2
    const { did } = by.identity
    const changes = [{ cancel_at_period_end: true }, {}, { status: 'past_due' }, {}, { cancel_at_period_end: true }]
    stripe.ledger.events.push(...changes.map((change, i) => subscribed(did, start + i * 1000, change)))
    await reconcile()
    expect(dataOf<Entitlement>(await call(by, 'GET', '/entitlement'))).toMatchObject({
      tier: 'provenance',
      renews: false,
    })
    expect(await grantsOf(did)).toMatchObject([{ version: 5 }])
    expect(alarms).toEqual([{ service: 'pay', alarm: 'payment_events_missed', count: 5, requestId }])
    await reconcile()
    expect(await grantsOf(did)).toMatchObject([{ version: 5 }])
    expect(alarms).toHaveLength(1)
  })

  it('changes nothing that has arrived', async () => {
    const [stripe, { identity }] = [new StripeAccount(), await caller()]
    const event = subscribed(identity.did, start)
    await deliver(event, { replaced: STRIPE })
    stripe.ledger.events.push(event, eventOf('customer.created', { id: 'cus_1' }, { created: start }))
    await reconcile()
    expect(await grantsOf(identity.did)).toMatchObject([{ version: 1 }])
    expect(alarms).toEqual([])
  })

  it('applies what the limit of the tier refused, if Stripe gives up repeating it', async () => {
    const [stripe, by] = [new StripeAccount(), await caller()]
    const event = subscribed(by.identity.did, start)
    const full = { ...STRIPE, LIMIT_200: { limit: async () => ({ success: false }) } }
    expect((await deliver(event, { replaced: full })).status).toBe(429)
    expect(await grantsOf(by.identity.did)).toEqual([])
    stripe.ledger.events.push(event)
    await reconcile()
    expect(await grantsOf(by.identity.did)).toMatchObject([{ version: 1 }])
    expect(alarms).toEqual([{ service: 'pay', alarm: 'payment_events_missed', count: 1, requestId }])
  })

  it('keeps what it does not understand, and goes on', async () => {
    const [stripe, { identity }] = [new StripeAccount(), await caller()]
    const strange = subscribed(identity.did, start, { status: 'resting' })
    stripe.ledger.events.push(strange, subscribed(identity.did, start + 1000))
    await reconcile()
    expect(await grantsOf(identity.did)).toHaveLength(1)
    expect(alarms).toMatchObject([
      { alarm: 'payment_event_not_understood', subject: strange.id },
      { alarm: 'payment_events_missed', count: 1 },
      { alarm: 'payment_events_waiting', count: 1 },
    ])
  })

  it('begins the next run where it was stopped', async () => {
    const [stripe, { identity }] = [new StripeAccount(), await caller()]
    stripe.ledger.events.push(subscribed(identity.did, start))
    const now = Date.now()
    let writes = 0
    const replaced = databaseWith(async (sql, work) => {
      if (sql.includes('INSERT INTO provider_events')) throw new Error('canary: D1 is down')
      if (sql.includes('INSERT INTO reconciliation')) writes += 1
      return work()
    })
    await reconcile(now, replaced)
    expect(alarms).toMatchObject([{ alarm: 'reconciliation_incomplete' }])
    expect(writes).toBeGreaterThan(0)
    expect(await comparedUntil()).toBeLessThanOrEqual(start)
    await reconcile(now)
    expect(await grantsOf(identity.did)).toHaveLength(1)
    expect(await comparedUntil()).toBe(Math.floor(now / 1000) * 1000)
  })

  it('ends when the provider cannot be asked, and says so', async () => {
    const stripe = new StripeAccount()
    stripe.broken = () => Promise.reject(new TypeError('connection refused'))
    await reconcile()
    expect(alarms).toMatchObject([{ alarm: 'reconciliation_incomplete' }])
    expect(await comparedUntil()).toBe(null)
  })

  it('has nothing to do without Stripe', async () => {
    await reconcile(Date.now(), { STRIPE_SECRET_KEY: '' })
    expect([await comparedUntil(), alarms]).toEqual([null, []])
  })
})

describe('the compared time', () => {
  const now = 1_790_000_000_000
  it('is the provider’s thirty days at first, then the last day again', () => {
    expect(spansOf(null, now)).toHaveLength(120)
    const later = spansOf(now - DAY, now)
    expect([later[0]?.from, later.at(-1)?.until, later.length]).toEqual([now - 2 * DAY, now, 8])
  })

  it('has no gaps', () => {
    const spans = spansOf(null, now)
    for (const [i, { from }] of spans.entries()) expect(from).toBe(i === 0 ? now - 30 * DAY : spans[i - 1]?.until)
  })

  it('after a long outage is what the provider still lists', () => {
    expect(spansOf(now - 300 * DAY, now)[0]?.from).toBe(now - 30 * DAY)
  })
})

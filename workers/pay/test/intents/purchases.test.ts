import { env } from 'cloudflare:workers'
import type { Entitlement, Grant } from '@svc/protocol/pay/entitlements'
import type { Intent } from '@svc/protocol/pay/intents'
import { expectRefusal, Prober } from '@svc/service/testing'
import type { TestCaller } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { service } from '../../src/app.ts'
import { databaseWith } from '../database.fixture.ts'
import { BASE, type CallOptions, call, caller, dataOf, send } from '../harness.ts'
import { deliver, eventOf, STRIPE, StripeAccount, sessionOf, subscriptionOf } from '../payments/stripe.fixture.ts'
import { issued, redeem } from '../quota/quota.fixture.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const DAY = 86_400_000
const buy = (by: TestCaller, sku: string, options: CallOptions = {}) =>
  call(by, 'POST', '/pay/intent', { body: { sku }, key: crypto.randomUUID(), ...options })
const entitlement = async (by: TestCaller) => dataOf<Entitlement>(await call(by, 'GET', '/entitlement'))
const stateOf = async (by: TestCaller, { id }: Intent) =>
  dataOf<Intent>(await call(by, 'GET', `/pay/intent/${id}`)).state
const change = (by: TestCaller, sku: string, options: CallOptions & { id?: string } = {}) => {
  const { id = `subscription:sub_${by.identity.did.slice(-32)}`, ...more } = options
  return call(by, 'POST', '/entitlement/change', { body: { id, sku }, ...more })
}
async function subscribed(by: TestCaller, changes: { sku?: string; cancels?: boolean; status?: string } = {}) {
  const start = Math.floor(Date.now() / 1000) * 1000
  const object = subscriptionOf(by.identity.did, { start, end: start + 30 * DAY, ...changes })
  await deliver(eventOf('customer.subscription.created', object, { created: start }))
  return { object, id: `subscription:${object.id}`, until: start + 30 * DAY }
}

/** Submits the development page. */
async function pay({ id }: Intent): Promise<void> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const body = new URLSearchParams({ id, outcome: 'pay' }).toString()
  await new Prober({ service, send, base: BASE }).send({ method: 'POST', path: '/pay/dev/checkout', headers, body })
}

describe('a purchase', () => {
  it.each([
    [
      'a second subscription of the tier',
      'provenance-year',
      'provenance-month',
      'already_subscribed',
      ['change', 'stack', 'wait'],
    ],
    ['a subscription of a higher tier', 'atelier-month', 'provenance-month', 'already_subscribed', ['change', 'wait']],
    ['a subscription of a lower tier', 'provenance-month', 'atelier-month', 'already_subscribed', ['change', 'wait']],
    ['a pass of a lower tier', 'provenance-pass-month', 'atelier-month', 'higher_tier', ['change', 'wait']],
    [
      'a pass of a tier that renews anyway',
      'provenance-pass-month',
      'provenance-month',
      'already_subscribed',
      ['stack', 'wait'],
    ],
  ] as const)('of %s is refused, and what can be done is named', async (_, sku, running, reason, ways) => {
    const by = await caller()
    const { id, until } = await subscribed(by, { sku: running })
    const refused = await buy(by, sku)
    expectRefusal(refused, reason)
    expect(refused.body).toMatchObject({ details: { grantId: id, ways, until } })
  })

  it('of a lower tier than a code gives is refused until that ends', async () => {
    const by = await caller()
    const { periodEnd } = dataOf<Grant>(await redeem(by, await issued({ tier: 'atelier', days: 10 })))
    const refused = await buy(by, 'provenance-month')
    expectRefusal(refused, 'higher_tier')
    expect(refused.body).toMatchObject({ details: { ways: ['wait'], until: periodEnd } })
    vi.setSystemTime(periodEnd)
    expect((await buy(by, 'provenance-month')).status).toBe(200)
  })

  it('of a pass after a subscription that was cancelled starts when that ends', async () => {
    const by = await caller()
    const { until } = await subscribed(by, { cancels: true })
    const intent = dataOf<Intent>(await buy(by, 'provenance-pass-month'))
    await pay(intent)
    const { grants } = await entitlement(by)
    expect(grants.find(({ source }) => source === 'pass')?.periodStart).toBe(until)
    const code = dataOf<Grant>(await redeem(by, await issued()))
    expect(code.periodStart).toBe(grants.find(({ source }) => source === 'pass')?.periodEnd)
  })

  it('is allowed again when the subscription has ended', async () => {
    const by = await caller()
    const { object } = await subscribed(by)
    const ended = { ...object, status: 'canceled', ended_at: Math.floor(Date.now() / 1000) }
    await deliver(eventOf('customer.subscription.deleted', ended, { created: Date.now() + 1000 }))
    expect((await buy(by, 'provenance-month')).status).toBe(200)
  })

  it('is refused while a subscription whose payment was refunded may renew', async () => {
    const [stripe, by] = [new StripeAccount(), await caller()]
    const { object, until } = await subscribed(by)
    const invoice = { subscription: object.id, did: by.identity.did, start: until - 30 * DAY, end: until }
    const charge = stripe.ledger.pay({ invoice })
    await deliver(eventOf('refund.created', stripe.ledger.refund(charge.id)), { replaced: STRIPE })
    expect((await entitlement(by)).tier).toBe('notes')
    expectRefusal(await buy(by, 'provenance-month'), 'already_subscribed')
  })
})

describe('two pages for a subscription', () => {
  it('are never open at once: the second closes the first', async () => {
    const [stripe, by] = [new StripeAccount(), await caller()]
    const first = dataOf<Intent>(await buy(by, 'provenance-month', { replaced: STRIPE }))
    const second = dataOf<Intent>(await buy(by, 'atelier-month', { replaced: STRIPE }))
    expect([await stateOf(by, first), await stateOf(by, second)]).toEqual(['cancelled', 'open'])
    expect([...stripe.sessions.values()].map(({ status }) => status)).toEqual(['expired', 'open'])
  })

  it('are refused while the first is being paid', async () => {
    const [stripe, by] = [new StripeAccount(), await caller()]
    dataOf<Intent>(await buy(by, 'provenance-month', { replaced: STRIPE }))
    stripe.sessions.get('cs_test_1')!.status = 'complete'
    expectRefusal(await buy(by, 'atelier-month', { replaced: STRIPE }), 'intent_pending')
  })

  it('and twenty requests at once leave one open', async () => {
    const by = await caller()
    const answers = await Promise.all(Array.from({ length: 20 }, () => buy(by, 'provenance-month')))
    for (const { status, body } of answers) {
      if (status !== 200) expect(body).toMatchObject({ error: 'intent_pending' })
    }
    const { results } = await env.DB.prepare(`SELECT state FROM intents WHERE did = ? AND state = 'open'`)
      .bind(by.identity.did)
      .all()
    expect(results).toHaveLength(1)
  })

  it('one of which is closed while it is made is closed at the provider too', async () => {
    const [stripe, by] = [new StripeAccount(), await caller()]
    let isReplaced = false
    const replaced = databaseWith(async (sql, work) => {
      if (sql.includes('SET session_id') && !isReplaced) {
        isReplaced = true
        dataOf<Intent>(await buy(by, 'atelier-month', { replaced: STRIPE }))
      }
      return work()
    })
    const first = dataOf<Intent>(await buy(by, 'provenance-month', { replaced: { ...STRIPE, ...replaced } }))
    expect(first).toMatchObject({ state: 'cancelled', checkoutUrl: null })
    expect([...stripe.sessions.values()].map(({ status }) => status)).toEqual(['expired', 'open'])
  })

  it('that are paid all the same are told to the operator', async () => {
    const by = await caller()
    const alarms: unknown[] = []
    vi.spyOn(console, 'error').mockImplementation((line: string) => void alarms.push(JSON.parse(line)))
    await subscribed(by)
    const start = Date.now()
    const second = subscriptionOf(by.identity.did, { id: `sub_2_${by.identity.did}`, start, end: start + DAY })
    await deliver(eventOf('customer.subscription.created', second))
    const subject = `subscription:${second.id}`
    expect(alarms).toEqual([
      { service: 'pay', alarm: 'second_subscription', subject, requestId: expect.any(String) as unknown },
    ])
  })
})

it('the payment of a subscription and its grant are one change', async () => {
  const [stripe, by] = [new StripeAccount(), await caller()]
  const intent = dataOf<Intent>(await buy(by, 'provenance-month', { replaced: STRIPE }))
  const start = Date.now()
  const object = subscriptionOf(by.identity.did, { start, end: start + 30 * DAY })
  stripe.subscriptions.set(object.id, object)
  const session = { ...sessionOf(intent.id, 'cs_test_1'), mode: 'subscription', subscription: object.id }
  const paid = eventOf('checkout.session.completed', session)
  const down = databaseWith(async (sql, work) => {
    if (sql.includes('INSERT INTO provider_events')) throw new Error('canary: D1 is down')
    return work()
  })
  expectRefusal(await deliver(paid, { replaced: { ...STRIPE, ...down } }), 'dependency_unavailable')
  expect([await stateOf(by, intent), (await entitlement(by)).tier]).toEqual(['open', 'notes'])
  await deliver(paid, { replaced: STRIPE })
  expect([await stateOf(by, intent), (await entitlement(by)).tier]).toEqual(['paid', 'provenance'])
})

describe('the price', () => {
  const priced = async (seen: string | null, country?: string) => {
    const by = await caller()
    const headers = {
      authorization: await by.assertion('provenance'),
      'idempotency-key': 'k',
      ...(seen === null ? {} : { 'cf-ipcountry': seen }),
    }
    const body = JSON.stringify({ sku: 'provenance-month', ...(country === undefined ? {} : { country }) })
    const prober = new Prober({ service, send, base: BASE })
    const intent = dataOf<Intent>(await prober.send({ method: 'POST', path: '/pay/intent', headers, body }))
    return intent.offer.price?.currency
  }

  it('is that of the request’s own country, and of the body only where the edge knows none', async () => {
    expect(await priced('DE', 'IN')).toBe('EUR')
    expect(await priced('IN', 'DE')).toBe('INR')
    expect(await priced(null, 'IN')).toBe('INR')
    expect(await priced('XX', 'JP')).toBe('JPY')
    expect(await priced('T1')).toBe('USD')
  })
})

describe('a change of plan', () => {
  it('to a higher tier is charged and given at once', async () => {
    const [stripe, by] = [new StripeAccount(), await caller()]
    const { object } = await subscribed(by)
    stripe.subscriptions.set(object.id, object)
    expect((await change(by, 'atelier-month', { replaced: STRIPE })).status).toBe(200)
    expect(stripe.changes).toMatchObject([
      {
        'items[0][id]': 'si_1',
        'items[0][price_data][product]': 'svc_atelier-month',
        'items[0][price_data][unit_amount]': '2900',
        'metadata[sku]': 'atelier-month',
        proration_behavior: 'always_invoice',
        payment_behavior: 'error_if_incomplete',
      },
    ])
    expect(stripe.products).toEqual(new Set(['svc_atelier-month']))
    expect((await change(by, 'provenance-year', { replaced: STRIPE })).status).toBe(200)
    expect((await change(by, 'atelier-month', { replaced: STRIPE })).status).toBe(200)
    expect(stripe.products).toEqual(new Set(['svc_atelier-month', 'svc_provenance-year']))
  })

  it('to a lower tier charges nothing, and starts with the next period', async () => {
    const by = await caller()
    await pay(dataOf<Intent>(await buy(by, 'atelier-month')))
    const id = (await entitlement(by)).grants[0]?.id ?? ''
    dataOf(await change(by, 'provenance-month', { id }))
    expect(await entitlement(by)).toMatchObject({ tier: 'atelier', next: 'provenance', renews: true })
    dataOf(await change(by, 'atelier-month', { id }))
    expect(await entitlement(by)).toMatchObject({ tier: 'atelier', next: 'atelier' })
    const [stripe, other] = [new StripeAccount(), await caller()]
    const { object } = await subscribed(other, { sku: 'atelier-month' })
    stripe.subscriptions.set(object.id, object)
    dataOf(await change(other, 'provenance-month', { replaced: STRIPE }))
    dataOf(await change(other, 'provenance-year', { replaced: STRIPE }))
    expect(stripe.changes).toMatchObject([{ proration_behavior: 'none' }, { proration_behavior: 'always_invoice' }])
  })

  it.each([
    ['its payment is declined', 402, 'card_error'],
    ['the provider cannot make it', 400, 'invalid_request_error'],
  ])('is refused when %s', async (_, status, type) => {
    const [stripe, by] = [new StripeAccount(), await caller()]
    const { object } = await subscribed(by)
    stripe.subscriptions.set(object.id, object)
    stripe.changeRefusal = { status, type }
    const refused = await change(by, 'atelier-month', { replaced: STRIPE })
    expectRefusal(refused, 'change_refused')
    expect(JSON.stringify(refused.body)).not.toContain('canary')
  })

  it('is refused for other offers, and for other grants than subscriptions of the caller', async () => {
    const by = await caller()
    await subscribed(by)
    expectRefusal(await change(by, 'provenance-pass-month'), 'sku_not_payable')
    expectRefusal(await change(by, 'city-month'), 'unknown_sku')
    expectRefusal(await change(await caller(), 'atelier-month'), 'not_found')
    expectRefusal(await change(by, 'atelier-month', { id: 'pass:x' }), 'not_found')
    expectRefusal(
      await change(by, 'atelier-month', { replaced: { STRIPE_WEBHOOK_SECRET: '' } }),
      'payments_unavailable',
    )
  })
})

import { env } from 'cloudflare:workers'
import type { Entitlement } from '@svc/protocol/pay/entitlements'
import type { Intent } from '@svc/protocol/pay/intents'
import { expectRefusal } from '@svc/service/testing'
import type { TestCaller } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { call, caller, dataOf } from '../harness.ts'
import { deliver, eventOf, grantsOf, sessionOf, signatureOf, subscriptionOf } from './stripe.fixture.ts'

const DAY = 86_400_000
const entitlement = async (by: TestCaller) => dataOf<Entitlement>(await call(by, 'GET', '/entitlement'))
const openIntent = async (by: TestCaller, sku = 'provenance-pass-month') =>
  dataOf<Intent>(await call(by, 'POST', '/pay/intent', { body: { sku }, key: crypto.randomUUID() }))
const stateOf = async (by: TestCaller, id: string) => dataOf<Intent>(await call(by, 'GET', `/pay/intent/${id}`)).state
const subscribed = (
  by: TestCaller,
  type: string,
  changes: Parameters<typeof subscriptionOf>[1],
  created = changes.start,
) => eventOf(`customer.subscription.${type}`, subscriptionOf(by.identity.did, changes), { created })

afterEach(() => vi.useRealTimers())

describe('an event of the provider', () => {
  const event = eventOf('customer.created', { id: 'cus_1' })
  const payload = JSON.stringify(event)

  it('is confirmed when it is of no use', async () => {
    expect((await deliver(event)).body).toMatchObject({ data: { received: true } })
    expect(await env.DB.prepare('SELECT count(*) AS n FROM provider_events').first('n')).toBe(0)
  })

  it('is refused without a good signature over its very bytes', async () => {
    const now = Date.now()
    const good = await signatureOf(payload, now)
    for (const signature of [
      '',
      'nonsense',
      `t=${Math.floor(now / 1000)}`,
      good.replace(/v1=.*/, `v1=${'0'.repeat(64)}`),
      good.replace('v1=', 'v0='),
      await signatureOf(payload, now, 'whsec_of_somebody_else'),
      await signatureOf(`${payload} `, now),
    ]) {
      expectRefusal(await deliver(payload, { signature }), 'invalid_signature')
    }
    expect((await deliver(payload, { signature: good })).status).toBe(200)
  })

  it('is refused when its signature is older than five minutes', async () => {
    const now = Date.now()
    expectRefusal(await deliver(event, { signedAt: now - 302_000 }), 'invalid_signature')
    expect((await deliver(event, { signedAt: now - 298_000 })).status).toBe(200)
  })

  it.each(['{', '[]', 'null', '"text"', '{"id":"evt_1"}', '{"id":1,"type":"x","created":1,"data":{"object":{}}}'])(
    'is refused when it is signed well and is %s',
    async (nonsense) => {
      expectRefusal(await deliver(nonsense), 'invalid_request')
    },
  )

  it('is refused where no secret is shared with a provider', async () => {
    expectRefusal(await deliver(event, { replaced: { STRIPE_WEBHOOK_SECRET: '' } }), 'payments_unavailable')
  })

  it('about what is not ours is confirmed and changes nothing', async () => {
    const by = await caller()
    const now = Date.now()
    const ours = subscriptionOf(by.identity.did, { start: now, end: now + 30 * DAY })
    for (const object of [
      { ...ours, metadata: {} },
      { ...ours, metadata: { did: 'did:web:example.com', sku: 'provenance-month' } },
    ]) {
      expect((await deliver(eventOf('customer.subscription.created', object))).status).toBe(200)
    }
    expect((await deliver(eventOf('checkout.session.completed', sessionOf(crypto.randomUUID(), 'cs_1')))).status).toBe(
      200,
    )
    expect(await grantsOf(by.identity.did)).toEqual([])
  })

  it('about another page of an intent does not pay it', async () => {
    const by = await caller()
    const { id } = await openIntent(by)
    await deliver(eventOf('checkout.session.completed', sessionOf(id, 'cs_of_somebody_else')))
    expect(await stateOf(by, id)).toBe('open')
    expect(await grantsOf(by.identity.did)).toEqual([])
  })
})

describe('a page', () => {
  it('that was completed without money pays when the money has come', async () => {
    const by = await caller()
    const { id } = await openIntent(by)
    await deliver(eventOf('checkout.session.completed', sessionOf(id, `cs_local_${id}`, 'unpaid')))
    expect(await stateOf(by, id)).toBe('open')
    expect((await entitlement(by)).tier).toBe('notes')
    await deliver(eventOf('checkout.session.async_payment_succeeded', sessionOf(id, `cs_local_${id}`)))
    expect(await stateOf(by, id)).toBe('paid')
    expect((await entitlement(by)).tier).toBe('provenance')
  })

  it.each([
    ['expired', 'checkout.session.expired'],
    ['failed', 'checkout.session.async_payment_failed'],
  ])('that has %s ends the intent, unless money comes after all', async (state, type) => {
    const by = await caller()
    const { id } = await openIntent(by)
    const session = sessionOf(id, `cs_local_${id}`, 'unpaid')
    await deliver(eventOf(type, session))
    expect(await stateOf(by, id)).toBe(state)
    await deliver(eventOf('checkout.session.completed', { ...session, payment_status: 'paid' }))
    expect(await stateOf(by, id)).toBe('paid')
    await deliver(eventOf(type, session))
    expect(await stateOf(by, id)).toBe('paid')
  })

  it('that is paid twice over, by two events, gives one pass', async () => {
    const by = await caller()
    const { id } = await openIntent(by)
    for (const type of ['completed', 'async_payment_succeeded']) {
      await deliver(eventOf(`checkout.session.${type}`, sessionOf(id, `cs_local_${id}`)))
    }
    expect(await grantsOf(by.identity.did)).toMatchObject([{ id: `pass:${id}`, version: 1 }])
  })
})

describe('a subscription', () => {
  const start = Math.floor(Date.now() / 1000) * 1000
  const [first, second] = [
    { start, end: start + 30 * DAY },
    { start: start + 30 * DAY, end: start + 60 * DAY },
  ]

  it('renews, falls due, is held for seven days and no longer, and comes back when it is paid', async () => {
    const by = await caller()
    await deliver(subscribed(by, 'created', first))
    expect(await entitlement(by)).toMatchObject({ tier: 'provenance', until: first.end, renews: true })
    vi.setSystemTime(first.end + DAY)
    await deliver(subscribed(by, 'updated', second))
    expect((await entitlement(by)).until).toBe(second.end)
    vi.setSystemTime(second.end + 3_600_000)
    const third = { start: second.end, end: second.end + 30 * DAY }
    await deliver(subscribed(by, 'updated', { ...third, status: 'past_due' }, second.end + 3_600_000))
    expect(await entitlement(by)).toMatchObject({ tier: 'provenance', until: second.end + 7 * DAY, next: 'notes' })
    vi.setSystemTime(second.end + 7 * DAY)
    expect((await entitlement(by)).tier).toBe('notes')
    await deliver(subscribed(by, 'updated', third, second.end + 8 * DAY))
    expect((await entitlement(by)).tier).toBe('provenance')
  })

  it('that was cancelled holds to the end of its period', async () => {
    const by = await caller()
    await deliver(subscribed(by, 'created', first))
    await deliver(subscribed(by, 'updated', { ...first, cancels: true }, start + DAY))
    expect(await entitlement(by)).toMatchObject({ renews: false, until: first.end, next: 'notes' })
    vi.setSystemTime(first.end)
    expect((await entitlement(by)).tier).toBe('notes')
  })

  it('that changes to a lower price of the provider’s catalogue does so when its period ends', async () => {
    const by = await caller()
    await deliver(subscribed(by, 'created', { ...first, sku: 'atelier-month' }))
    const lower = { ...first, sku: 'atelier-month', lookupKey: 'provenance-month' }
    await deliver(subscribed(by, 'updated', lower, start + DAY))
    expect(await entitlement(by)).toMatchObject({ tier: 'atelier', until: first.end, next: 'provenance' })
    vi.setSystemTime(first.end)
    expect((await entitlement(by)).tier).toBe('provenance')
  })

  it('is what its newest event says, in whatever order events come', async () => {
    const by = await caller()
    const events = [
      subscribed(by, 'created', { ...first, status: 'incomplete' }),
      subscribed(by, 'updated', first, start + 1000),
      subscribed(by, 'updated', { ...first, cancels: true }, start + DAY),
      subscribed(by, 'deleted', { ...first, status: 'canceled', endedAt: start + 2 * DAY }, start + 2 * DAY),
    ]
    for (const event of events.toReversed()) expect((await deliver(event)).status).toBe(200)
    vi.setSystemTime(start + 3 * DAY)
    expect((await entitlement(by)).tier).toBe('notes')
    expect(await grantsOf(by.identity.did)).toMatchObject([{ status: 'ended', version: 1 }])
  })

  it('is changed once by an event that comes twice', async () => {
    const by = await caller()
    const event = subscribed(by, 'created', first)
    for (let i = 0; i < 3; i++) expect((await deliver(event)).status).toBe(200)
    expect(await grantsOf(by.identity.did)).toMatchObject([{ version: 1 }])
  })
})

import type { Entitlement } from '@svc/protocol/pay/entitlements'
import type { Intent } from '@svc/protocol/pay/intents'
import { expectRefusal } from '@svc/service/testing'
import type { TestCaller } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { call, caller, dataOf } from '../harness.ts'
import { deliver, eventOf, grantsOf, STRIPE, StripeAccount, sessionOf, subscriptionOf } from './stripe.fixture.ts'

afterEach(() => vi.restoreAllMocks())

const LIVE = { STRIPE_SECRET_KEY: 'sk_live_of_the_tests_only' }
const DAY = 86_400_000
const start = Math.floor(Date.now() / 1000) * 1000
const period = { start, end: start + 30 * DAY }
const entitlement = async (by: TestCaller) => dataOf<Entitlement>(await call(by, 'GET', '/entitlement'))
const subscribed = (by: TestCaller, changes: object = {}, created = start) =>
  eventOf('customer.subscription.updated', subscriptionOf(by.identity.did, { ...period, ...changes }), { created })

describe('a good signature', () => {
  it('pays no intent by a link of the same account, whose payer wrote the reference', async () => {
    const [stripe, by] = [new StripeAccount(), await caller()]
    const body = { sku: 'provenance-pass-month', country: 'DE' }
    // The provider's answer was lost, so that no page is known to be the intent's.
    stripe.losesAnswers = true
    expectRefusal(await call(by, 'POST', '/pay/intent', { body, key: 'k', replaced: STRIPE }), 'dependency_unavailable')
    const [id = ''] = [...stripe.sessions.values()].map(({ params }) => params.get('client_reference_id') ?? '')
    const paid = sessionOf(id, 'cs_of_a_link')
    for (const metadata of [{}, { intent: crypto.randomUUID() }, undefined, null]) {
      expect((await deliver(eventOf('checkout.session.completed', { ...paid, metadata }))).status).toBe(200)
    }
    expect(dataOf<Intent>(await call(by, 'GET', `/pay/intent/${id}`)).state).toBe('open')
    expect(await grantsOf(by.identity.did)).toEqual([])
    await deliver(eventOf('checkout.session.completed', sessionOf(id, 'cs_test_1')))
    expect(dataOf<Intent>(await call(by, 'GET', `/pay/intent/${id}`)).state).toBe('paid')
  })

  it.each([
    ['play money for real', { livemode: false }, LIVE],
    ['real money for play', { livemode: true }, STRIPE],
    ['real money where nobody pays', { livemode: true }, {}],
    ['what a connected account says', { livemode: true, account: 'acct_1' }, LIVE],
    ['what a connected account plays', { account: 'acct_1' }, STRIPE],
  ])('takes not %s', async (_, members, replaced) => {
    const by = await caller()
    expect((await deliver({ ...subscribed(by), ...members }, { replaced })).status).toBe(200)
    expect(await grantsOf(by.identity.did)).toEqual([])
  })

  it('of real money is taken where money is real', async () => {
    for (const prefix of ['sk_live_x', 'rk_live_x', 'sk_org_live_x']) {
      const by = await caller()
      const replaced = { STRIPE_SECRET_KEY: prefix }
      expect((await deliver({ ...subscribed(by), livemode: true, account: null }, { replaced })).status).toBe(200)
      expect(await grantsOf(by.identity.did)).toHaveLength(1)
    }
  })
})

describe('two events of one second', () => {
  it.each([
    ['in their order', [true, false]],
    ['in the other order', [false, true]],
  ])('come to how the subscription stands, %s', async (_, order) => {
    const [stripe, by] = [new StripeAccount(), await caller()]
    const id = `sub_${by.identity.did.slice(-32)}`
    stripe.subscriptions.set(id, subscriptionOf(by.identity.did, { ...period, cancels: false }))
    for (const cancels of order)
      expect((await deliver(subscribed(by, { cancels }), { replaced: STRIPE })).status).toBe(200)
    expect(await entitlement(by)).toMatchObject({ tier: 'provenance', renews: true })
    expect(stripe.requests).toMatchObject([{ method: 'GET', path: `/v1/subscriptions/${id}` }])
  })

  it('are taken when the provider can be asked, and repeated by it until then', async () => {
    const [stripe, by] = [new StripeAccount(), await caller()]
    await deliver(subscribed(by, { sku: 'atelier-month' }), { replaced: STRIPE })
    const second = subscribed(by, { cancels: true })
    stripe.broken = () => Promise.reject(new TypeError('connection refused'))
    expectRefusal(await deliver(second, { replaced: STRIPE }), 'dependency_unavailable')
    expect(await entitlement(by)).toMatchObject({ tier: 'atelier', renews: true })
    stripe.broken = null
    // Shorter and of a lower tier than what was said: how it stands counts, not what would be later in a life.
    const current = { ...period, end: period.end - DAY, cancels: true, sku: 'provenance-month' }
    stripe.subscriptions.set(`sub_${by.identity.did.slice(-32)}`, subscriptionOf(by.identity.did, current))
    expect((await deliver(second, { replaced: STRIPE })).status).toBe(200)
    expect(await entitlement(by)).toMatchObject({ tier: 'atelier', renews: false, next: 'notes', until: current.end })
  })

  it('leave a subscription ended if either event ended it', async () => {
    const [stripe, by] = [new StripeAccount(), await caller()]
    await deliver(subscribed(by, { status: 'canceled', endedAt: start }), { replaced: STRIPE })
    await deliver(subscribed(by), { replaced: STRIPE })
    expect(await grantsOf(by.identity.did)).toMatchObject([{ status: 'ended', version: 1 }])
    expect(stripe.requests).toEqual([])
  })
})

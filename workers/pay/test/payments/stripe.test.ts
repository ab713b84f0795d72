import { env } from 'cloudflare:workers'
import type { Intent } from '@svc/protocol/pay/intents'
import { expectRefusal } from '@svc/service/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { call, caller, dataOf } from '../harness.ts'
import { deliver, eventOf, STRIPE, StripeAccount, sessionOf, subscriptionOf } from './stripe.fixture.ts'

afterEach(() => vi.restoreAllMocks())

const intent = async (by: Awaited<ReturnType<typeof caller>>, sku = 'provenance-month', key = 'k', country = 'KW') =>
  call(by, 'POST', '/pay/intent', { body: { sku, country }, key, replaced: STRIPE })
const DAY = 86_400_000

describe('Stripe', () => {
  it('is asked for a page of a subscription, at the price that was offered', async () => {
    const [stripe, by] = [new StripeAccount(), await caller()]
    const { id, checkoutUrl, expiresAt, provider } = dataOf<Intent>(await intent(by))
    expect({ provider, checkoutUrl }).toEqual({
      provider: 'stripe',
      checkoutUrl: 'https://checkout.stripe.com/c/pay/cs_test_1',
    })
    const [request] = stripe.requests
    expect(request).toEqual({
      method: 'POST',
      path: '/v1/checkout/sessions',
      idempotencyKey: `intent-${id}`,
      authorization: `Bearer ${STRIPE.STRIPE_SECRET_KEY}`,
    })
    expect(Object.fromEntries(stripe.sessions.get('cs_test_1')?.params ?? [])).toEqual({
      client_reference_id: id,
      'metadata[did]': by.identity.did,
      'metadata[sku]': 'provenance-month',
      'metadata[intent]': id,
      expires_at: String(Math.floor(expiresAt / 1000)),
      success_url: `http://localhost:3000/?intent=${id}&outcome=success`,
      cancel_url: `http://localhost:3000/?intent=${id}&outcome=cancel`,
      mode: 'subscription',
      'line_items[0][quantity]': '1',
      'line_items[0][price_data][currency]': 'kwd',
      'line_items[0][price_data][unit_amount]': '2750',
      'line_items[0][price_data][product_data][name]': 'Provenance, monthly',
      'line_items[0][price_data][product_data][metadata][sku]': 'provenance-month',
      'line_items[0][price_data][recurring][interval]': 'month',
      'subscription_data[metadata][did]': by.identity.did,
      'subscription_data[metadata][sku]': 'provenance-month',
      'subscription_data[metadata][intent]': id,
    })
  })

  it('is asked for a page of a single payment for a pass', async () => {
    const [stripe, by] = [new StripeAccount(), await caller()]
    await intent(by, 'provenance-pass-month')
    const params = stripe.sessions.get('cs_test_1')?.params
    expect(params?.get('mode')).toBe('payment')
    expect(params?.get('line_items[0][price_data][recurring][interval]')).toBe(null)
  })

  it('is asked once for one intent', async () => {
    const [stripe, by] = [new StripeAccount(), await caller()]
    const first = dataOf<Intent>(await intent(by))
    expect(dataOf<Intent>(await intent(by))).toEqual(first)
    expect(stripe.requests).toHaveLength(1)
  })

  it.each<[string, () => Promise<Response>]>([
    ['cannot be reached', () => Promise.reject(new TypeError('connection refused'))],
    ['fails', async () => Response.json({ error: { type: 'api_error', message: 'canary' } }, { status: 500 })],
    [
      'knows no such key',
      async () => Response.json({ error: { type: 'invalid_request_error', message: 'canary' } }, { status: 401 }),
    ],
    [
      'is asked too often',
      async () => Response.json({ error: { type: 'rate_limit_error', message: 'canary' } }, { status: 429 }),
    ],
    ['answers what is not JSON', async () => new Response('<html>')],
    ['gives no page', async () => Response.json({ id: 'cs_1', url: null })],
  ])('that %s leaves an intent without a page, which the same request completes', async (_, broken) => {
    const [stripe, by] = [new StripeAccount(), await caller()]
    stripe.broken = broken
    const refused = await intent(by)
    expectRefusal(refused, 'dependency_unavailable')
    expect(JSON.stringify(refused.body)).not.toContain('canary')
    expect(dataOf(await call(by, 'GET', '/entitlement'))).toMatchObject({ tier: 'notes', grants: [] })
    stripe.broken = null
    expect(dataOf<Intent>(await intent(by)).checkoutUrl).toBe('https://checkout.stripe.com/c/pay/cs_test_1')
    const rows = await env.DB.prepare('SELECT count(*) AS n FROM intents WHERE did = ?')
      .bind(by.identity.did)
      .first('n')
    expect(rows).toBe(1)
  })

  it('whose answer was lost gives the same page to the same request', async () => {
    const [stripe, by] = [new StripeAccount(), await caller()]
    stripe.losesAnswers = true
    expectRefusal(await intent(by), 'dependency_unavailable')
    stripe.losesAnswers = false
    expect(dataOf<Intent>(await intent(by)).checkoutUrl).toBe('https://checkout.stripe.com/c/pay/cs_test_1')
    expect(stripe.sessions.size).toBe(1)
  })

  it('is not asked for a page of an intent that is older than an hour', async () => {
    const [stripe, by] = [new StripeAccount(), await caller()]
    stripe.broken = () => Promise.reject(new TypeError('connection refused'))
    expectRefusal(await intent(by), 'dependency_unavailable')
    stripe.broken = null
    vi.setSystemTime(Date.now() + 3_600_000)
    expect(dataOf<Intent>(await intent(by))).toMatchObject({ state: 'open', checkoutUrl: null })
    expect(stripe.sessions.size).toBe(0)
    vi.useRealTimers()
  })

  it('closes a page that is cancelled, and does not where the payment was made', async () => {
    const [stripe, by] = [new StripeAccount(), await caller()]
    const cancel = (id: string) => call(by, 'POST', `/pay/intent/${id}/cancel`, { replaced: STRIPE })
    const first = dataOf<Intent>(await intent(by, 'provenance-month', 'first'))
    expect(dataOf<Intent>(await cancel(first.id)).state).toBe('cancelled')
    expect(dataOf<Intent>(await cancel(first.id)).state).toBe('cancelled')
    const second = dataOf<Intent>(await intent(by, 'provenance-month', 'second'))
    stripe.sessions.get('cs_test_2')!.status = 'complete'
    expectRefusal(await cancel(second.id), 'intent_state')
    await deliver(eventOf('checkout.session.completed', sessionOf(second.id, 'cs_test_2')))
    expect(dataOf<Intent>(await call(by, 'GET', `/pay/intent/${second.id}`)).state).toBe('paid')
  })

  it('is asked to end a subscription with its period', async () => {
    const [stripe, by] = [new StripeAccount(), await caller()]
    const start = Date.now()
    const subscribed = { start, end: start + 30 * DAY }
    for (const id of ['sub_mine', 'sub_gone']) {
      await deliver(eventOf('customer.subscription.created', subscriptionOf(by.identity.did, { ...subscribed, id })))
    }
    const renewal = (id: string, renews: boolean) =>
      call(by, 'POST', '/entitlement/renewal', { body: { id, renews }, replaced: STRIPE })
    expect((await renewal('subscription:sub_mine', false)).status).toBe(200)
    expect((await renewal('subscription:sub_mine', true)).status).toBe(200)
    expect(stripe.renewals).toEqual(['sub_mine true', 'sub_mine false'])
    expectRefusal(await renewal('subscription:sub_gone', false), 'not_found')
    expectRefusal(await renewal('subscription:sub_other', false), 'not_found')
    stripe.broken = () => Promise.reject(new TypeError('connection refused'))
    expectRefusal(await renewal('subscription:sub_mine', false), 'dependency_unavailable')
  })
})

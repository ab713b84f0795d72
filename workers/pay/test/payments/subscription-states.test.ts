import type { Entitlement } from '@svc/protocol/pay/entitlements'
import { expectRefusal } from '@svc/service/testing'
import type { TestCaller } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { call, caller, dataOf } from '../harness.ts'
import { deliver, eventOf, grantsOf, STRIPE, StripeAccount, type Subscribed, subscriptionOf } from './stripe.fixture.ts'
import { invoiceOf } from './stripe-ledger.fixture.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const DAY = 86_400_000
const start = Math.floor(Date.now() / 1000) * 1000
const first = { start, end: start + 30 * DAY }
const second = { start: first.end, end: first.end + 30 * DAY }
const VOID = { pause_collection: { behavior: 'void', resumes_at: null } }
const entitlement = async (by: TestCaller) => dataOf<Entitlement>(await call(by, 'GET', '/entitlement'))
const objectOf = (by: TestCaller, subscribed: Subscribed, more: object = {}) => ({
  ...subscriptionOf(by.identity.did, subscribed),
  ...more,
})
const told = (type: string, object: object, created: number) =>
  deliver(eventOf(type, object, { created }), { replaced: STRIPE })
/** As Stripe answered and sent it before API version 2025-03-31. */
function oldShape(object: ReturnType<typeof objectOf>) {
  const [{ current_period_start, current_period_end, ...item } = {} as never] = object.items.data
  return { ...object, current_period_start, current_period_end, items: { ...object.items, data: [item] } }
}

describe('a subscription', () => {
  it('is read in the shape of earlier API versions too', async () => {
    const by = await caller()
    const event = eventOf('customer.subscription.created', oldShape(objectOf(by, first)), { created: start })
    expect((await deliver(event)).status).toBe(200)
    expect(await entitlement(by)).toMatchObject({ tier: 'provenance', until: first.end, renews: true })
  })

  it('that Stripe paused after a trial gave its tier to the end of the trial', async () => {
    const by = await caller()
    await told('customer.subscription.created', objectOf(by, { ...first, status: 'trialing' }), start)
    expect((await entitlement(by)).tier).toBe('provenance')
    vi.setSystemTime(first.end + DAY)
    const paused = objectOf(by, { ...second, status: 'paused' }, { trial_end: first.end / 1000 })
    await told('customer.subscription.paused', paused, first.end)
    expect(await entitlement(by)).toMatchObject({ tier: 'notes', grants: [] })
    const third = { start: first.end + DAY, end: first.end + 31 * DAY }
    await told('customer.subscription.resumed', objectOf(by, third), first.end + DAY)
    expect(await entitlement(by)).toMatchObject({ tier: 'provenance', renews: true, until: third.end })
  })

  it('whose collection is paused gives what was paid, and nothing for periods whose invoice is void', async () => {
    const [stripe, by] = [new StripeAccount(), await caller()]
    const invoiced = (period: Subscribed, status: string) => {
      const object = objectOf(by, period, { ...VOID, latest_invoice: { id: 'in_1', object: 'invoice', status } })
      stripe.subscriptions.set(object.id, object)
      return { ...object, latest_invoice: 'in_1' }
    }
    await told('customer.subscription.created', objectOf(by, first), start)
    await told('customer.subscription.updated', invoiced(first, 'paid'), start + DAY)
    expect(await entitlement(by)).toMatchObject({ tier: 'provenance', renews: false, until: first.end })
    vi.setSystemTime(second.start + DAY)
    await told('customer.subscription.updated', invoiced(second, 'void'), second.start)
    expect(await entitlement(by)).toMatchObject({ tier: 'notes', grants: [] })
    await told('customer.subscription.updated', objectOf(by, second), second.start + DAY)
    expect(await entitlement(by)).toMatchObject({ tier: 'provenance', renews: true })
  })

  it.each(['keep_as_draft', 'mark_uncollectible'])('whose collection is paused by %s goes on', async (behavior) => {
    const by = await caller()
    const free = objectOf(by, first, { pause_collection: { behavior, resumes_at: null } })
    await told('customer.subscription.created', free, start)
    expect(await entitlement(by)).toMatchObject({ tier: 'provenance', renews: true })
  })

  it.each([
    ['now', (object: object) => object],
    [
      'before',
      ({ parent, ...object }: ReturnType<typeof invoiceOf>) => ({ ...object, ...parent.subscription_details }),
    ],
  ])('is asked for when its invoice was paid, as invoices are %s', async (_, shaped) => {
    const [stripe, by] = [new StripeAccount(), await caller()]
    const object = objectOf(by, first)
    await told('customer.subscription.created', object, start)
    vi.setSystemTime(second.start + DAY)
    stripe.subscriptions.set(object.id, objectOf(by, second))
    const invoice = { subscription: object.id, did: by.identity.did, ...second }
    const paid = eventOf('invoice.paid', shapedOld(shaped(invoiceOf('in_2', { invoice }))), { created: second.start })
    expect((await deliver(paid, { replaced: STRIPE })).status).toBe(200)
    expect((await entitlement(by)).until).toBe(second.end)
  })

  it('is asked for when its invoice was not paid, and again while that fails', async () => {
    const [stripe, by] = [new StripeAccount(), await caller()]
    const object = objectOf(by, first)
    await told('customer.subscription.created', object, start)
    const invoice = { subscription: object.id, did: by.identity.did, ...second }
    const failed = eventOf('invoice.payment_failed', invoiceOf('in_2', { invoice }), { created: second.start })
    stripe.broken = () => Promise.reject(new TypeError('connection refused'))
    expectRefusal(await deliver(failed, { replaced: STRIPE }), 'dependency_unavailable')
    stripe.broken = null
    stripe.subscriptions.set(object.id, objectOf(by, { ...second, status: 'past_due' }))
    await deliver(failed, { replaced: STRIPE })
    expect(await grantsOf(by.identity.did)).toMatchObject([{ status: 'past_due', version: 2 }])
  })

  it('keeps the higher tier that was paid, when it was changed back before the service heard of either', async () => {
    const [stripe, by] = [new StripeAccount(), await caller()]
    const lower = objectOf(by, first)
    const invoice = { subscription: lower.id, did: by.identity.did, ...first }
    const higher = { ...lower, metadata: { ...lower.metadata, sku: 'atelier-month' } }
    stripe.subscriptions.set(lower.id, lower)
    // The invoice of the change comes first, and the change in the same second.
    await told('invoice.paid', invoiceOf('in_2', { invoice, reason: 'subscription_update' }), start + DAY)
    await told('customer.subscription.updated', higher, start + DAY)
    await told('customer.subscription.updated', lower, start + 2 * DAY)
    expect(await entitlement(by)).toMatchObject({ tier: 'atelier', next: 'provenance', until: first.end })
  })

  it('keeps what it was told when an older event makes the service ask', async () => {
    const [stripe, by] = [new StripeAccount(), await caller()]
    const object = objectOf(by, first)
    await told('customer.subscription.updated', { ...object, cancel_at_period_end: true }, start + 2 * DAY)
    stripe.subscriptions.set(object.id, { ...object, cancel_at_period_end: true })
    const invoice = { subscription: object.id, did: by.identity.did, ...first }
    await told('invoice.paid', invoiceOf('in_1', { invoice }), start)
    await told('customer.subscription.updated', object, start + DAY)
    expect(await entitlement(by)).toMatchObject({ renews: false })
  })
})

/** The old shape names the details of the subscription beside its id. */
function shapedOld(object: object): object {
  if (!('metadata' in object) || 'parent' in object) return object
  const { metadata, subscription, ...rest } = object as { metadata: object; subscription: string }
  return { ...rest, metadata: {}, subscription, subscription_details: { metadata } }
}

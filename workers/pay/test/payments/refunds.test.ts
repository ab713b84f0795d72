import { env } from 'cloudflare:workers'
import type { Entitlement } from '@svc/protocol/pay/entitlements'
import type { Intent } from '@svc/protocol/pay/intents'
import { expectRefusal } from '@svc/service/testing'
import type { TestCaller } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { databaseWith } from '../database.fixture.ts'
import { call, caller, dataOf } from '../harness.ts'
import { deliver, eventOf, STRIPE, StripeAccount, sessionOf, subscriptionOf } from './stripe.fixture.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const DAY = 86_400_000
const entitlement = async (by: TestCaller) => dataOf<Entitlement>(await call(by, 'GET', '/entitlement'))
const tierOf = async (by: TestCaller) => (await entitlement(by)).tier
const told = (type: string, object: object, replaced: object = STRIPE) => deliver(eventOf(type, object), { replaced })
const versionOf = (payment: string) =>
  env.DB.prepare('SELECT version FROM reversals WHERE payment_id = ?').bind(payment).first('version')

/** A pass that was bought and paid, and its charge. */
async function pass(stripe: StripeAccount, by: TestCaller) {
  const options = { body: { sku: 'provenance-pass-month' }, key: crypto.randomUUID(), replaced: STRIPE }
  const { id } = dataOf<Intent>(await call(by, 'POST', '/pay/intent', options))
  const session = `cs_test_${stripe.sessions.size}`
  await told('checkout.session.completed', sessionOf(id, session))
  return stripe.ledger.pay({ metadata: { did: by.identity.did, sku: 'provenance-pass-month', intent: id } })
}

/** A subscription that was paid, with the charge of its first period. */
async function subscription(stripe: StripeAccount, by: TestCaller) {
  const { did } = by.identity
  const start = Math.floor(Date.now() / 1000) * 1000
  const period = { start, end: start + 30 * DAY }
  const subscribed = subscriptionOf(did, period)
  await told('customer.subscription.created', subscribed)
  return { period, subscribed, charge: stripe.ledger.pay({ invoice: { subscription: subscribed.id, did, ...period } }) }
}

describe('a refund', () => {
  it('of the whole amount ends a pass at once', async () => {
    const [stripe, by] = [new StripeAccount(), await caller()]
    const charge = await pass(stripe, by)
    expect(await tierOf(by)).toBe('provenance')
    stripe.ledger.refund(charge.id)
    expect((await told('charge.refunded', stripe.ledger.charges.get(charge.id)!)).status).toBe(200)
    expect(await entitlement(by)).toMatchObject({ tier: 'notes', grants: [{ source: 'pass', reversed: 'refunded' }] })
  })

  it('of a part changes nothing, until the parts are the whole', async () => {
    const [stripe, by] = [new StripeAccount(), await caller()]
    const charge = await pass(stripe, by)
    await told('refund.created', stripe.ledger.refund(charge.id, 400))
    expect(await entitlement(by)).toMatchObject({ tier: 'provenance', grants: [{ reversed: null }] })
    await told('refund.created', stripe.ledger.refund(charge.id, 500))
    expect(await tierOf(by)).toBe('notes')
  })

  it('that fails gives the tier back', async () => {
    const [stripe, by] = [new StripeAccount(), await caller()]
    const charge = await pass(stripe, by)
    await told('refund.created', stripe.ledger.refund(charge.id))
    expect(await tierOf(by)).toBe('notes')
    await told('refund.failed', stripe.ledger.failRefund(charge.id, 900))
    expect(await tierOf(by)).toBe('provenance')
  })

  it('is heard before the payment is', async () => {
    const [stripe, by] = [new StripeAccount(), await caller()]
    const options = { body: { sku: 'provenance-pass-month' }, key: 'k', replaced: STRIPE }
    const { id } = dataOf<Intent>(await call(by, 'POST', '/pay/intent', options))
    const metadata = { did: by.identity.did, sku: 'provenance-pass-month', intent: id }
    const charge = stripe.ledger.pay({ metadata })
    await told('refund.created', stripe.ledger.refund(charge.id))
    await told('checkout.session.completed', sessionOf(id, 'cs_test_1'))
    expect(await tierOf(by)).toBe('notes')
  })

  it('of a pass does not hold up the next one', async () => {
    const [stripe, by] = [new StripeAccount(), await caller()]
    const charge = await pass(stripe, by)
    await told('refund.created', stripe.ledger.refund(charge.id))
    await pass(stripe, by)
    expect(await tierOf(by)).toBe('provenance')
  })

  it('of a subscription takes the period that it had paid for, and no later one', async () => {
    const [stripe, by] = [new StripeAccount(), await caller()]
    const { period, subscribed, charge } = await subscription(stripe, by)
    await told('charge.refunded', { ...charge, ...stripe.ledger.refund(charge.id), id: charge.id })
    expect(await tierOf(by)).toBe('notes')
    const next = { start: period.end, end: period.end + 30 * DAY, id: subscribed.id }
    vi.setSystemTime(period.end + DAY)
    await told('customer.subscription.updated', subscriptionOf(by.identity.did, next))
    expect(await tierOf(by)).toBe('provenance')
  })

  it('of the rest of a period, after a change of plan, takes nothing', async () => {
    const [stripe, by] = [new StripeAccount(), await caller()]
    const { period, subscribed } = await subscription(stripe, by)
    const invoice = { subscription: subscribed.id, did: by.identity.did, ...period }
    const charge = stripe.ledger.pay({ invoice, reason: 'subscription_update' })
    await told('refund.created', stripe.ledger.refund(charge.id))
    expect(await tierOf(by)).toBe('provenance')
  })

  it('of somebody else’s payment is confirmed and changes nothing', async () => {
    const [stripe, by] = [new StripeAccount(), await caller()]
    await pass(stripe, by)
    const charge = stripe.ledger.pay({ metadata: { shoes: '1' } })
    expect((await told('refund.created', stripe.ledger.refund(charge.id))).status).toBe(200)
    expect(
      (await told('refund.created', { ...stripe.ledger.refundOf(charge.id, 1, 'x'), charge: 'ch_x' })).status,
    ).toBe(200)
    expect(await tierOf(by)).toBe('provenance')
  })

  it('is repeated by the provider while it cannot be asked, or nothing was written', async () => {
    const [stripe, by] = [new StripeAccount(), await caller()]
    const charge = await pass(stripe, by)
    const event = eventOf('refund.created', stripe.ledger.refund(charge.id))
    stripe.broken = () => Promise.reject(new TypeError('connection refused'))
    expectRefusal(await deliver(event, { replaced: STRIPE }), 'dependency_unavailable')
    stripe.broken = null
    for (const order of ['before', 'after']) {
      const down = databaseWith(async (sql, work) => {
        const answer = order === 'after' ? await work() : null
        if (sql.includes('INSERT INTO provider_events')) throw new Error('canary: D1 is down')
        return answer ?? work()
      })
      expect(await tierOf(by)).toBe('provenance')
      expectRefusal(await deliver(event, { replaced: { ...STRIPE, ...down } }), 'dependency_unavailable')
    }
    expect((await deliver(event, { replaced: STRIPE })).status).toBe(200)
    expect([await tierOf(by), await versionOf(charge.id)]).toEqual(['notes', 1])
  })
})

describe('a dispute', () => {
  it.each([
    ['won', 'provenance'],
    ['lost', 'notes'],
  ])('takes the tier while it is open, and %s leaves %s', async (end, tier) => {
    const [stripe, by] = [new StripeAccount(), await caller()]
    const { charge } = await subscription(stripe, by)
    await told('charge.dispute.created', stripe.ledger.dispute(charge.id))
    expect(await entitlement(by)).toMatchObject({ tier: 'notes', grants: [{ reversed: 'disputed' }] })
    await told('charge.dispute.funds_withdrawn', stripe.ledger.dispute(charge.id, 'under_review'))
    expect(await tierOf(by)).toBe('notes')
    await told('charge.dispute.closed', stripe.ledger.dispute(charge.id, end))
    expect(await tierOf(by)).toBe(tier)
  })

  it('that is only an inquiry takes nothing', async () => {
    const [stripe, by] = [new StripeAccount(), await caller()]
    const { charge } = await subscription(stripe, by)
    await told('charge.dispute.created', stripe.ledger.dispute(charge.id, 'warning_needs_response'))
    expect(await tierOf(by)).toBe('provenance')
  })

  it('whose events come in any order, doubled and at once, stands as the provider says', async () => {
    const [stripe, by] = [new StripeAccount(), await caller()]
    const { charge } = await subscription(stripe, by)
    const events = ['created', 'funds_withdrawn', 'updated', 'funds_reinstated', 'closed'].map((name, i) =>
      eventOf(`charge.dispute.${name}`, stripe.ledger.dispute(charge.id, i > 2 ? 'won' : 'under_review')),
    )
    let waiting = [...events, ...events, ...events.toReversed(), ...events]
    expect(waiting).toHaveLength(20)
    for (let round = 0; waiting.length > 0 && round < 20; round++) {
      const answers = await Promise.all(waiting.map((event) => deliver(event, { replaced: STRIPE })))
      waiting = waiting.filter((_, i) => answers[i]?.status !== 200)
    }
    expect(await tierOf(by)).toBe('provenance')
  })

  it('that changes while it is read is written as it stands last', async () => {
    const [stripe, by] = [new StripeAccount(), await caller()]
    const { charge } = await subscription(stripe, by)
    const [opened, closed] = [
      eventOf('charge.dispute.created', stripe.ledger.dispute(charge.id)),
      { event: null as object | null },
    ]
    const replaced = databaseWith(async (sql, work) => {
      if (sql.includes('INSERT INTO provider_events') && !closed.event) {
        closed.event = eventOf('charge.dispute.closed', stripe.ledger.dispute(charge.id, 'lost'))
        await deliver(closed.event, { replaced: STRIPE })
        stripe.ledger.dispute(charge.id, 'won')
      }
      return work()
    })
    expect((await deliver(opened, { replaced: { ...STRIPE, ...replaced } })).status).toBe(200)
    expect([await tierOf(by), await versionOf(charge.id)]).toEqual(['provenance', 2])
  })
})

it('the embedded provider refunds on its page', async () => {
  for (const sku of ['provenance-pass-month', 'provenance-month']) {
    const by = await caller()
    const { id } = dataOf<Intent>(await call(by, 'POST', '/pay/intent', { body: { sku }, key: 'k' }))
    const submit = (outcome: string) => concluded(id, outcome)
    await submit('refund')
    expect((await submit('pay')).text).toContain('value="refund"')
    expect(await tierOf(by)).toBe('provenance')
    await submit('refund')
    expect(await tierOf(by)).toBe('notes')
  }
})

async function concluded(id: string, outcome: string): Promise<{ text: string }> {
  const { send, BASE } = await import('../harness.ts')
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const body = new URLSearchParams({ id, outcome }).toString()
  return { text: await (await send(new Request(`${BASE}/pay/dev/checkout`, { method: 'POST', headers, body }))).text() }
}

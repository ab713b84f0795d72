import { env } from 'cloudflare:workers'
import type { Entitlement, Grant } from '@svc/protocol/pay/entitlements'
import { GRANT_SOURCES } from '@svc/protocol/pay/entitlements'
import type { Intent } from '@svc/protocol/pay/intents'
import { rankOf, TIER_LIMITS, type Tier } from '@svc/protocol/pay/tiers'
import type { TestCaller } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { standingFor } from '../../src/entitlements/internal.ts'
import { call, caller, dataOf } from '../harness.ts'
import { deliver, eventOf, STRIPE, StripeAccount, sessionOf, subscriptionOf } from '../payments/stripe.fixture.ts'
import { act, DAY_MS, grantEnd, issued, licence, meter, redeem } from '../quota/quota.fixture.ts'

afterEach(() => vi.restoreAllMocks())

type Source = (typeof GRANT_SOURCES)[number]
interface Given {
  readonly grantId: string
  /** Ends it in its own way. */
  readonly end: () => Promise<unknown>
}
type Gives = (by: TestCaller, tier: Tier, stripe: StripeAccount) => Promise<Given>

const told = async (type: string, object: object) =>
  expect((await deliver(eventOf(type, object), { replaced: STRIPE })).status).toBe(200)

/** How each source gives a tier, and how it ends. */
const GIVES: { readonly [S in Source]: Gives } = {
  async subscription(by, tier) {
    const start = Math.floor(Date.now() / 1000) * 1000
    const terms = { sku: `${tier}-month`, start, end: start + 30 * DAY_MS }
    const subscribed = subscriptionOf(by.identity.did, terms)
    await told('customer.subscription.created', subscribed)
    const ended = subscriptionOf(by.identity.did, { ...terms, status: 'canceled', endedAt: start })
    return {
      grantId: `subscription:${subscribed.id}`,
      end: () => told('customer.subscription.deleted', ended),
    }
  },
  async pass(by, _tier, stripe) {
    const options = { body: { sku: 'provenance-pass-month' }, key: crypto.randomUUID(), replaced: STRIPE }
    const { id } = dataOf<Intent>(await call(by, 'POST', '/pay/intent', options))
    await told('checkout.session.completed', sessionOf(id, `cs_test_${stripe.sessions.size}`))
    const metadata = { did: by.identity.did, sku: 'provenance-pass-month', intent: id }
    const charge = stripe.ledger.pay({ metadata })
    return { grantId: `pass:${id}`, end: async () => told('refund.created', stripe.ledger.refund(charge.id)) }
  },
  async code(by, tier) {
    const { id } = dataOf<Grant>(await redeem(by, await issued({ tier })))
    return { grantId: id, end: () => operatorEnds(id) }
  },
  licence: (by, tier) => licensed(by, tier, 'licence'),
  organization: (by, tier) => licensed(by, tier, 'organization'),
}

async function licensed({ identity: { did } }: TestCaller, tier: Tier, source: Source): Promise<Given> {
  dataOf(await act(await licence({ did, source, tier })))
  const end = async () => dataOf(await act(await licence({ did, source, action: 'revoke' })))
  return { grantId: `${source}:${did}`, end }
}

const operatorEnds = async (grantId: string) => dataOf(await act(await grantEnd(grantId)))

/** Everybody who asks which tier an identity has gets the same answer. */
async function expectTier(by: TestCaller, tier: Tier, source?: Source | 'signup'): Promise<void> {
  const entitlement = dataOf<Entitlement>(await call(by, 'GET', '/entitlement'))
  expect(entitlement).toMatchObject({ tier, limits: TIER_LIMITS[tier], ...(source && { source }) })
  const { source: shown, from, until } = entitlement
  expect(await standingFor('core', env, by.identity.did)).toMatchObject({ tier, source: shown, from, until })
  expect(await meter(by, 'capsule')).toMatchObject({ tier, limit: TIER_LIMITS[tier].capsule })
}

const PAIRS = GRANT_SOURCES.flatMap((high) =>
  GRANT_SOURCES.flatMap((low) => (high === low ? [] : [[high, low] as const])),
)
/** A pass is sold for one tier only, and a subscription for no tier below it. */
function tiersOf(high: Source, low: Source): [Tier, Tier] {
  if (high === 'pass') return ['provenance', low === 'subscription' ? 'provenance' : 'notes']
  return ['atelier', 'provenance']
}

describe.each(GRANT_SOURCES)('a tier of the source %s', (source) => {
  it.each(['in its own way', 'by the operator'])('is gone at once when it ends %s', async (way) => {
    const by = await caller()
    const given = await GIVES[source](by, 'provenance', new StripeAccount())
    await expectTier(by, 'provenance', source)
    await (way === 'by the operator' ? operatorEnds(given.grantId) : given.end())
    await expectTier(by, 'notes', 'signup')
  })
})

describe.each(PAIRS)('of the sources %s and %s', (high, low) => {
  it.each([
    ['first', 'second'],
    ['second', 'first'],
  ])('the %s ends, then the %s, and the tier follows each time', async (first) => {
    const stripe = new StripeAccount()
    const by = await caller()
    const [highTier, lowTier] = tiersOf(high, low)
    // A pass is not sold below a higher tier.
    const order = low === 'pass' ? [low, high] : [high, low]
    const given = new Map<Source, Given>()
    for (const source of order) given.set(source, await GIVES[source](by, source === high ? highTier : lowTier, stripe))
    await expectTier(by, highTier, rankOf(highTier) > rankOf(lowTier) ? high : undefined)
    const [ends, stays, tier] = first === 'first' ? [high, low, lowTier] : [low, high, highTier]
    await given.get(ends)?.end()
    await expectTier(by, tier, stays)
    await given.get(stays)?.end()
    await expectTier(by, 'notes', 'signup')
  })
})

describe('a code', () => {
  it('waits for the pass of its tier, and the pass for the code', async () => {
    const [by, stripe] = [await caller(), new StripeAccount()]
    for (const source of ['pass', 'code', 'pass'] as const) await GIVES[source](by, 'provenance', stripe)
    const { grants } = dataOf<Entitlement>(await call(by, 'GET', '/entitlement'))
    const [first, second, third] = grants.toSorted((a, b) => a.periodStart - b.periodStart)
    expect([first, second, third].map((grant) => grant?.source)).toEqual(['pass', 'code', 'pass'])
    expect([second?.periodStart, third?.periodStart]).toEqual([first?.periodEnd, second?.periodEnd])
  })
})

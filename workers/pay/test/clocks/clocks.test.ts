import { createExecutionContext, createScheduledController, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { Entitlement } from '@svc/protocol/pay/entitlements'
import type { TestCaller } from '@svc/testing'
import { afterEach, expect, inject, it, vi } from 'vitest'
import { standingFor } from '../../src/entitlements/internal.ts'
import worker from '../../src/index.ts'
import { createRuntime } from '../../src/services.ts'
import { call, caller, dataOf } from '../harness.ts'
import { deliver, STRIPE, StripeAccount } from '../payments/stripe.fixture.ts'
import { Customer, type StripeEvent } from './customer.ts'
import { rightAt } from './history.ts'
import { Operator } from './operator.ts'
import { Random } from './random.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

declare module 'vitest' {
  interface ProvidedContext {
    clocks: { readonly seeds: number; readonly first: number; readonly days: number }
  }
}

const DAY = 86_400_000
const HOUR = 3_600_000
/** Something may happen at each of these hours of a day. */
const HOURS = [0, 4, 8]
const NIGHT = 12 * HOUR
/** What the customers of a long run must all have met; a short run meets some of it. */
const EVERYTHING = [
  'trial',
  'subscribed',
  'renewed',
  'card failed',
  'paid at last',
  'ended for want of money',
  'cancelled',
  'resumed',
  'ended with its period',
  'upgraded',
  'downgraded',
  'proration refunded',
  'refunded in part',
  'refunded',
  'refund failed',
  'disputed',
  'dispute won',
  'dispute lost',
  'licensed',
  'licence revoked',
  'code redeemed',
]
const LONG_DAYS = 4_000

/** Two years take half a minute alone, and several times that beside other steps. */
const HANGING_MS = 600_000

/** Every so many days the question goes over HTTP. */
const ASKED_DAYS = 30

const { seeds, first, days } = inject('clocks')
/** What the route asks, without an assertion for each of the days. */
const { entitlements } = createRuntime(env).deps
const met = new Set<string>()

/** The post: of the events of a day, some never arrive, some twice, some days later, and all in any order. */
class Post {
  readonly #random: Random
  #late: { at: number; event: StripeEvent }[] = []

  constructor(random: Random) {
    this.#random = random
  }

  deliveriesOf(made: readonly StripeEvent[], day: number): StripeEvent[] {
    const due = this.#late.filter(({ at }) => at <= day).map(({ event }) => event)
    this.#late = this.#late.filter(({ at }) => at > day)
    const now = made.flatMap((event) => {
      if (this.#random.chance(0.3)) this.#late.push({ at: day + 1 + this.#random.below(25), event })
      if (this.#random.chance(0.1)) return []
      return this.#random.chance(0.2) ? [event, event] : [event]
    })
    return this.#random.shuffled([...due, ...now])
  }
}

async function reconcile(now: number): Promise<void> {
  const context = createExecutionContext()
  worker.scheduled(createScheduledController({ scheduledTime: new Date(now) }), { ...env, ...STRIPE }, context)
  await waitOnExecutionContext(context)
}

/** Lives one day, and returns the tier that is told at its end and the one that is right. */
async function liveDay({ customer, operator, post, stripe, by }: Life, day: number, midnight: number) {
  const made = HOURS.flatMap((hour) => customer.liveUntil(midnight + hour * HOUR))
  stripe.ledger.events.push(...made)
  vi.setSystemTime(midnight + NIGHT - HOUR)
  for (const event of post.deliveriesOf(made, day)) {
    expect((await deliver(event, { replaced: STRIPE })).status, `day ${day}, ${event.type}`).toBe(200)
  }
  const done = await operator.liveDay(midnight + NIGHT - HOUR)
  if (done !== null) met.add(done)
  const now = midnight + NIGHT
  vi.setSystemTime(now)
  await reconcile(now)
  const right = rightAt(customer.histories, customer.charges, operator.tiersAt(now), now)
  const told = day % ASKED_DAYS === 0 ? await askedOf(by) : await entitlements.current(by.identity.did, now)
  return { told: { tier: told.tier, renews: told.renews }, right }
}

/** As a client asks, and as core does: both are told the same. */
async function askedOf(by: TestCaller): Promise<Entitlement> {
  const entitlement = dataOf<Entitlement>(await call(by, 'GET', '/entitlement'))
  const { tier, source, from, until } = entitlement
  expect(await standingFor('core', env, by.identity.did)).toMatchObject({ tier, source, from, until })
  expect(until ?? Number.POSITIVE_INFINITY).toBeGreaterThan(Date.now())
  return entitlement
}

interface Life {
  readonly customer: Customer
  readonly operator: Operator
  readonly post: Post
  readonly stripe: StripeAccount
  readonly by: TestCaller
}

it.each(Array.from({ length: seeds }, (_, i) => first + i))(
  'a tier is right every day, seed %i',
  async (seed) => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const [random, stripe, by] = [new Random(seed), new StripeAccount(), await caller()]
    const customer = new Customer(stripe, by.identity.did, random)
    // Numbers of its own, so that the customer lives the same life without it.
    const operator = new Operator(by.identity.did, new Random(seed + 1_000_000), entitlements)
    const life = { customer, operator, post: new Post(random), stripe, by }
    await env.DB.prepare('DELETE FROM reconciliation').run()
    const start = Math.floor(Date.now() / 1000) * 1000
    for (let day = 0; day < days; day++) {
      const { told, right } = await liveDay(life, day, start + day * DAY)
      expect({ seed, day, ...told }).toEqual({ seed, day, ...right })
    }
    for (const what of customer.seen.keys()) met.add(what)
    expect(customer.histories.length).toBeGreaterThan(0)
  },
  HANGING_MS,
)

it.runIf(seeds * days >= LONG_DAYS)('the customers have met everything that there is', () => {
  expect(EVERYTHING.filter((what) => !met.has(what))).toEqual([])
})

import { createExecutionContext, createScheduledController, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { TestCaller } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import worker from '../../src/index.ts'
import { caller } from '../harness.ts'
import { deliver, eventOf, grantsOf, STRIPE, StripeAccount, subscriptionOf } from '../payments/stripe.fixture.ts'

const DAY = 86_400_000
const start = Math.floor(Date.now() / 1000) * 1000
const period = { start, end: start + 30 * DAY }
const down = { CORE: { fetch: () => Promise.reject(new Error('canary: core is down')) } }

const told = async ({ client }: TestCaller) =>
  (await client.events.read()).events.map(({ kind, ref }) => `${kind} ${ref}`)
const waiting = async ({ identity }: TestCaller) =>
  (await env.DB.prepare('SELECT kind, attempts FROM owner_events WHERE did = ?').bind(identity.did).all()).results

/** The cron trigger, so many hours from now. What failed is due again an hour later at the latest. */
async function hourly(replaced: object = {}, hours = 1): Promise<void> {
  const context = createExecutionContext()
  const scheduledTime = new Date(Date.now() + hours * 3_600_001)
  const controller = createScheduledController({ scheduledTime, cron: '13 * * * *' })
  worker.scheduled(controller, { ...env, ...replaced }, context)
  await waitOnExecutionContext(context)
}

async function subscribed(by: TestCaller, replaced: object = {}) {
  const subscription = subscriptionOf(by.identity.did, period)
  const event = eventOf('customer.subscription.created', subscription)
  expect((await deliver(event, { replaced })).status).toBe(200)
  const [grant] = await grantsOf(by.identity.did)
  return { subscription, event, ref: (grant as { id: string }).id }
}

const changed = (
  { subscription }: Awaited<ReturnType<typeof subscribed>>,
  type: string,
  by: TestCaller,
  changes: object,
  created: number,
) => {
  const object = { ...subscriptionOf(by.identity.did, { ...period, ...changes }), id: subscription.id }
  return deliver(eventOf(`customer.subscription.${type}`, object, { created }))
}

afterEach(() => vi.restoreAllMocks())

describe('the owner’s event feed', () => {
  it('tells of each period that is paid, and of the end', async () => {
    const by = await caller()
    const begun = await subscribed(by)
    const next = { start: period.end, end: period.end + 30 * DAY }
    await changed(begun, 'updated', by, next, period.end)
    await changed(begun, 'updated', by, next, period.end + 1_000)
    await changed(begun, 'deleted', by, { ...next, status: 'canceled' }, period.end + 2_000)
    expect(await told(by)).toEqual([
      `payment.paid ${begun.ref}`,
      `payment.paid ${begun.ref}`,
      `payment.ended ${begun.ref}`,
    ])
    expect(await waiting(by)).toEqual([])
  })

  it('tells of a refund once, however often the provider does', async () => {
    const [stripe, by] = [new StripeAccount(), await caller()]
    const { subscription, ref } = await subscribed(by, STRIPE)
    const { did } = by.identity
    const charge = stripe.ledger.pay({ invoice: { subscription: subscription.id, did, ...period } })
    const refund = stripe.ledger.refund(charge.id)
    await deliver(eventOf('refund.created', refund), { replaced: STRIPE })
    await deliver(eventOf('charge.refunded', stripe.ledger.charges.get(charge.id)!), { replaced: STRIPE })
    expect(await told(by)).toEqual([`payment.paid ${ref}`, `payment.refunded ${ref}`])
  })

  it('is told once of an event that arrives twenty times at once', async () => {
    const by = await caller()
    const event = eventOf('customer.subscription.created', subscriptionOf(by.identity.did, period))
    await Promise.all(Array.from({ length: 20 }, () => deliver(event)))
    await Promise.all(Array.from({ length: 20 }, () => hourly()))
    expect(await told(by)).toHaveLength(1)
    expect(await waiting(by)).toEqual([])
  })

  it('is told by the cron trigger of what core could not take: the payment stands', async () => {
    const by = await caller()
    const { ref } = await subscribed(by, down)
    expect(await waiting(by)).toEqual([{ kind: 'payment.paid', attempts: 1 }])
    await hourly(down)
    expect(await waiting(by)).toEqual([{ kind: 'payment.paid', attempts: 2 }])
    await hourly({}, 2)
    expect(await told(by)).toEqual([`payment.paid ${ref}`])
    expect(await waiting(by)).toEqual([])
  })

  it('is told once if the answer of core is lost', async () => {
    const by = await caller()
    const lost = {
      CORE: {
        fetch: async (input: string, init: RequestInit) => {
          await env.CORE.fetch(input, init)
          throw new Error('canary: the answer is lost')
        },
      },
    }
    const { ref } = await subscribed(by, lost)
    expect(await waiting(by)).toHaveLength(1)
    await hourly()
    expect(await told(by)).toEqual([`payment.paid ${ref}`])
  })
})

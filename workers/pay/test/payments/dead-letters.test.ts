import { env } from 'cloudflare:workers'
import type { DeadLetterPage } from '@svc/protocol/operator/dead-letters'
import type { Entitlement } from '@svc/protocol/pay/entitlements'
import { expectRefusal } from '@svc/service/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { databaseWith } from '../database.fixture.ts'
import { call, caller, dataOf, sendWith } from '../harness.ts'
import { act, DAY_MS, deadLetterDecision, deadLetterRead, readDeadLetters } from '../quota/quota.fixture.ts'
import { deliver, eventOf, grantsOf, STRIPE, StripeAccount, sessionOf, subscriptionOf } from './stripe.fixture.ts'

const alarms: unknown[] = []
beforeEach(() => {
  alarms.length = 0
  vi.spyOn(console, 'error').mockImplementation((line: string) => void alarms.push(JSON.parse(line)))
})
afterEach(() => vi.restoreAllMocks())

const start = Math.floor(Date.now() / 1000) * 1000
const period = { start, end: start + 30 * DAY_MS }
const subscribed = (did: string, changes: object = {}) =>
  eventOf('customer.subscription.created', { ...subscriptionOf(did, period), ...changes }, { created: start })
const letterOf = async (id: string) => {
  const { deadLetters } = dataOf<DeadLetterPage>(await readDeadLetters())
  return deadLetters.find(({ eventId }) => eventId === id)
}
/** An event that is not understood until the offer is known. */
async function early() {
  const [by, sku] = [await caller(), `sku-${crypto.randomUUID()}`]
  const event = subscribed(by.identity.did, { metadata: { did: by.identity.did, sku } })
  expectRefusal(await deliver(event), 'event_not_understood')
  const offer = () =>
    env.DB.prepare("INSERT INTO skus (sku, display, kind, tier, position) VALUES (?, 'x', 'pass', 'atelier', 1)")
      .bind(sku)
      .run()
  return { by, event, offer }
}

describe('an event with our metadata that is not understood', () => {
  it.each<[string, string, (did: string) => ReturnType<typeof eventOf>]>([
    ['an unknown offer', 'subscription: unknown SKU', (did) => subscribed(did, { metadata: { did, sku: 'shoes' } })],
    ['no offer', 'subscription: metadata.sku', (did) => subscribed(did, { metadata: { did } })],
    ['a new status', 'subscription: status', (did) => subscribed(did, { status: 'resting' })],
    ['no item', 'subscription: items.data', (did) => subscribed(did, { items: { data: [] } })],
    ['no period', 'subscription: no period', (did) => subscribed(did, { items: { data: [{ price: null }] } })],
    [
      'an unknown intent',
      'checkout session: unknown intent',
      (did) => {
        const session = sessionOf(crypto.randomUUID(), 'cs_1')
        return eventOf('checkout.session.completed', { ...session, metadata: { ...session.metadata, did } })
      },
    ],
    [
      'a new kind of session event',
      'checkout session: unknown type of event',
      (did) => {
        const session = sessionOf(crypto.randomUUID(), 'cs_1')
        return eventOf('checkout.session.rested', { ...session, metadata: { ...session.metadata, did } })
      },
    ],
  ])('for %s is kept, refused and told to the operator, once', async (_, reason, made) => {
    const { did } = (await caller()).identity
    const event = made(did)
    for (let i = 0; i < 3; i++) expectRefusal(await deliver(event), 'event_not_understood')
    expect(await letterOf(event.id)).toMatchObject({ type: event.type, reason, attempts: 3 })
    const alarm = { service: 'pay', alarm: 'payment_event_not_understood', subject: event.id, reason }
    expect(alarms).toEqual([{ ...alarm, requestId: expect.any(String) as unknown }])
    expect(await grantsOf(did)).toEqual([])
  })

  it('is kept when it is the answer of the provider that is not understood', async () => {
    const [stripe, { identity }] = [new StripeAccount(), await caller()]
    const metadata = { did: identity.did, sku: 'provenance-pass-month', intent: crypto.randomUUID() }
    const charge = stripe.ledger.pay({ metadata })
    const event = eventOf('charge.dispute.created', stripe.ledger.dispute(charge.id, 'resting'))
    expectRefusal(await deliver(event, { replaced: STRIPE }), 'event_not_understood')
    expect(await letterOf(event.id)).toMatchObject({ reason: 'dispute: unknown status' })
  })

  it('is applied when it comes again and is understood by then', async () => {
    const { by, event, offer } = await early()
    await offer()
    expect((await deliver(event)).status).toBe(200)
    expect(await grantsOf(by.identity.did)).toHaveLength(1)
    expect(await letterOf(event.id)).toBe(undefined)
  })

  it('is kept once by twenty deliveries at once', async () => {
    const { did } = (await caller()).identity
    const event = subscribed(did, { status: 'resting' })
    for (const answer of await Promise.all(Array.from({ length: 20 }, () => deliver(event)))) {
      expectRefusal(answer, 'event_not_understood')
    }
    expect(await letterOf(event.id)).toMatchObject({ attempts: 20 })
    expect(alarms).toHaveLength(1)
  })

  it('is not confirmed while it cannot be kept', async () => {
    const event = subscribed((await caller()).identity.did, { status: 'resting' })
    const replaced = databaseWith(async (sql, work) => {
      if (sql.includes('INSERT INTO dead_letters')) throw new Error('canary: D1 is down')
      return work()
    })
    expectRefusal(await deliver(event, { replaced }), 'dependency_unavailable')
    expect(alarms).toEqual([])
  })
})

describe('the operator', () => {
  it('replays it, and its owner has the tier', async () => {
    const { by, event, offer } = await early()
    expectRefusal(await act(await deadLetterDecision(event.id, 'replay')), 'event_not_understood')
    await offer()
    dataOf(await act(await deadLetterDecision(event.id, 'replay')))
    expect(dataOf<Entitlement>(await call(by, 'GET', '/entitlement')).tier).toBe('atelier')
    expect(await letterOf(event.id)).toBe(undefined)
    dataOf(await act(await deadLetterDecision(event.id, 'replay')))
  })

  it('replays it twenty times at once, and it is applied once', async () => {
    const { by, event, offer } = await early()
    await offer()
    const acts = await Promise.all(Array.from({ length: 20 }, () => deadLetterDecision(event.id, 'replay')))
    for (const answer of await Promise.all(acts.map((signed) => act(signed)))) dataOf(answer)
    expect(await grantsOf(by.identity.did)).toMatchObject([{ version: 1 }])
  })

  it('replays and dismisses it at once, and one of the two holds', async () => {
    const { by, event, offer } = await early()
    await offer()
    const decisions = (['replay', 'dismiss'] as const).flatMap((action) =>
      Array.from({ length: 10 }, () => deadLetterDecision(event.id, action)),
    )
    for (const answer of await Promise.all((await Promise.all(decisions)).map((signed) => act(signed)))) dataOf(answer)
    const claimed = await env.DB.prepare('SELECT claim FROM provider_events WHERE event_id = ?')
      .bind(event.id)
      .first('claim')
    expect(await grantsOf(by.identity.did)).toHaveLength(claimed === 'dismissed' ? 0 : 1)
    expect(await letterOf(event.id)).toBe(undefined)
  })

  it('dismisses it, and its repetitions change nothing', async () => {
    const { by, event, offer } = await early()
    dataOf(await act(await deadLetterDecision(event.id, 'dismiss')))
    await offer()
    expect((await deliver(event)).status).toBe(200)
    expect(await grantsOf(by.identity.did)).toEqual([])
    dataOf(await act(await deadLetterDecision(event.id, 'dismiss')))
  })

  it('finishes an act whose answer was lost', async () => {
    const { by, event, offer } = await early()
    await offer()
    const signed = await deadLetterDecision(event.id, 'replay')
    for (const what of ['INSERT INTO provider_events', 'UPDATE operator_acts']) {
      const replaced = databaseWith(async (sql, work) => {
        const answer = sql.includes('UPDATE operator_acts') ? null : await work()
        if (sql.includes(what)) throw new Error('canary: D1 is down')
        return answer ?? work()
      })
      expectRefusal(await act(signed, sendWith(replaced)), 'dependency_unavailable')
    }
    dataOf(await act(signed))
    expect(await grantsOf(by.identity.did)).toMatchObject([{ version: 1 }])
  })

  it('is told of an event that is unknown', async () => {
    for (const action of ['replay', 'dismiss'] as const) {
      expectRefusal(await act(await deadLetterDecision('evt_unknown', action)), 'not_found')
    }
  })

  it('lists dead letters by pages, oldest first, with a signed read that counts once', async () => {
    const { did } = (await caller()).identity
    const events = Array.from({ length: 53 }, () => subscribed(did, { status: 'resting' }))
    for (const event of events) await deliver(event)
    const ids: string[] = []
    for (let after: number | null = 0; after !== null; ) {
      const page: DeadLetterPage = dataOf<DeadLetterPage>(await readDeadLetters(after))
      ids.push(...page.deadLetters.map(({ eventId }) => eventId))
      after = page.next
    }
    expect(ids.slice(-53)).toEqual(events.map(({ id }) => id))
    const signed = await deadLetterRead(0)
    dataOf(await readDeadLetters(0, signed))
    expectRefusal(await readDeadLetters(0, signed), 'statement_replay')
    const tampered = { ...signed, statement: { ...signed.statement, after: 1 } }
    expectRefusal(await readDeadLetters(0, tampered), 'invalid_signature')
  })
})

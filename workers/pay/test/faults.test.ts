import { env } from 'cloudflare:workers'
import type { Entitlement } from '@svc/protocol/pay/entitlements'
import type { Intent } from '@svc/protocol/pay/intents'
import { databaseAround, expectRefusal } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { databaseWith } from './database.fixture.ts'
import { call, caller, dataOf, sendWith } from './harness.ts'
import { deliver, eventOf, grantsOf, sessionOf, subscriptionOf } from './payments/stripe.fixture.ts'
import { act, codeAct, consume, freshCode, issued, licence, meter, redeem } from './quota/quota.fixture.ts'

const DAY = 86_400_000
const down = (): never => {
  throw new Error('canary: D1 is down')
}
const failingBefore = (what: string) => databaseWith(async (sql, work) => (sql.includes(what) ? down() : work()))
const failingAfter = (what: string) =>
  databaseWith(async (sql, work) => {
    const answer = await work()
    return sql.includes(what) ? down() : answer
  })
const subscriptionEvent = (did: string) => {
  const now = Date.now()
  return eventOf('customer.subscription.created', subscriptionOf(did, { start: now, end: now + 30 * DAY }))
}
const APPLY = 'INSERT INTO provider_events'

describe('when D1 fails around an event', () => {
  it('before it is written nothing has changed, and the provider’s repetition changes it', async () => {
    const { did } = (await caller()).identity
    const event = subscriptionEvent(did)
    for (const what of [APPLY, 'SELECT 1 AS one FROM provider_events', 'FROM grants WHERE id']) {
      expectRefusal(await deliver(event, { replaced: failingBefore(what) }), 'dependency_unavailable')
      expect(await grantsOf(did)).toEqual([])
    }
    expect((await deliver(event)).status).toBe(200)
    expect(await grantsOf(did)).toMatchObject([{ version: 1 }])
  })

  it('after it was written, it stands once', async () => {
    const { did } = (await caller()).identity
    const event = subscriptionEvent(did)
    expectRefusal(await deliver(event, { replaced: failingAfter(APPLY) }), 'dependency_unavailable')
    expect((await deliver(event)).status).toBe(200)
    expect(await grantsOf(did)).toMatchObject([{ version: 1 }])
  })

  it('the payment of a pass is whole or not at all', async () => {
    const by = await caller()
    const body = { sku: 'provenance-pass-month' }
    const { id } = dataOf<Intent>(await call(by, 'POST', '/pay/intent', { body, key: 'k' }))
    const event = eventOf('checkout.session.completed', sessionOf(id, `cs_local_${id}`))
    expectRefusal(await deliver(event, { replaced: failingBefore(APPLY) }), 'dependency_unavailable')
    expect(dataOf<Intent>(await call(by, 'GET', `/pay/intent/${id}`)).state).toBe('open')
    expect(await grantsOf(by.identity.did)).toEqual([])
    expectRefusal(await deliver(event, { replaced: failingAfter(APPLY) }), 'dependency_unavailable')
    await deliver(event)
    expect(dataOf<Intent>(await call(by, 'GET', `/pay/intent/${id}`)).state).toBe('paid')
    expect(await grantsOf(by.identity.did)).toMatchObject([{ version: 1 }])
  })
})

describe('twenty deliveries of one event at once', () => {
  it('change a subscription once', async () => {
    const { did } = (await caller()).identity
    const event = subscriptionEvent(did)
    const answers = await Promise.all(Array.from({ length: 20 }, () => deliver(event)))
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(20).fill(200))
    expect(await grantsOf(did)).toMatchObject([{ version: 1 }])
  })

  it('and twenty events of one subscription come to what the newest says', async () => {
    const { did } = (await caller()).identity
    const start = Math.floor(Date.now() / 1000) * 1000
    const events = Array.from({ length: 20 }, (_, i) =>
      eventOf('customer.subscription.updated', subscriptionOf(did, { start, end: start + (i + 1) * DAY }), {
        created: start + i * 1000,
      }),
    )
    let waiting = events
    // The provider repeats what was not confirmed.
    for (let round = 0; waiting.length > 0 && round < 20; round++) {
      const answers = await Promise.all(waiting.map((event) => deliver(event)))
      waiting = waiting.filter((_, i) => answers[i]?.status !== 200)
    }
    const end = await env.DB.prepare('SELECT period_end FROM grants WHERE did = ?').bind(did).first('period_end')
    expect(end).toBe(start + 20 * DAY)
  }, 30_000)
})

describe('when something cannot be reached', () => {
  const NO_OBJECTS = {
    QUOTA_METERS: { getByName: () => new Proxy({}, { get: () => () => Promise.reject(new Error('gone')) }) },
  }

  it('the meters answer 503 and nothing is counted', async () => {
    const by = await caller()
    expectRefusal(await consume(by, 'text', 'k', 1, { replaced: NO_OBJECTS }), 'dependency_unavailable')
    expectRefusal(await call(by, 'GET', '/quota', { replaced: NO_OBJECTS }), 'dependency_unavailable')
    expect((await meter(by, 'text')).used).toBe(0)
  })

  it('an entitlement is 503 and never the tier of everybody', async () => {
    for (const table of ['FROM grants', 'FROM issued_grants']) {
      const replaced = failingBefore(table)
      expectRefusal(await call(await caller(), 'GET', '/entitlement', { replaced }), 'dependency_unavailable')
    }
  })

  it('a code is redeemed all the same when its meter does not hear of it', async () => {
    const [by, code] = [await caller(), await issued()]
    expect((await redeem(by, code, { replaced: NO_OBJECTS })).status).toBe(200)
  })

  it('a code whose answer was lost gives the same grant to the retry', async () => {
    const [by, code] = [await caller(), await issued()]
    expectRefusal(
      await redeem(by, code, { replaced: failingAfter('UPDATE entitlement_codes') }),
      'dependency_unavailable',
    )
    expect((await redeem(by, code)).status).toBe(200)
    expect(dataOf<Entitlement>(await call(by, 'GET', '/entitlement')).grants).toHaveLength(1)
  })
})

describe('a database that payments have filled', () => {
  const full = databaseAround(env.DB, async (sql, work) => {
    if (!/^\s*SELECT/.test(sql)) throw new Error('D1_ERROR: Exceeded maximum DB size')
    return work()
  })

  it('stops neither codes nor licences', async () => {
    const [by, licensed] = [await caller(), await caller()]
    const code = freshCode()
    dataOf(await act(await codeAct(code), sendWith(full)))
    dataOf(await redeem(by, code, { replaced: full }))
    dataOf(await act(await licence({ did: licensed.identity.did }), sendWith(full)))
    const tierOf = async (owner: typeof by) => dataOf<Entitlement>(await call(owner, 'GET', '/entitlement')).tier
    expect([await tierOf(by), await tierOf(licensed)]).toEqual(['provenance', 'atelier'])
    const revoked = await licence({ did: licensed.identity.did, action: 'revoke' })
    dataOf(await act(revoked, sendWith(full)))
    expect(await tierOf(licensed)).toBe('notes')
  })
})

describe('an assertion for another audience', () => {
  it.each([
    ['GET', '/quota'],
    ['GET', '/entitlement'],
    ['POST', '/quota/consume'],
    ['POST', '/quota/refund'],
    ['POST', '/entitlement/redeem'],
    ['POST', '/pay/intent'],
  ] as const)('reads no billing state at %s %s', async (method, path) => {
    const touched: string[] = []
    const watched = (name: string) =>
      new Proxy({}, { get: (_, member) => touched.push(`${name}.${String(member)}`) && (() => down()) })
    const replaced = { DB: watched('DB'), QUOTA_METERS: watched('QUOTA_METERS') }
    const by = await caller()
    const other = { assertion: () => by.assertion('chain') }
    const body = method === 'POST' ? {} : undefined
    expectRefusal(await call(other, method, path, { body, key: 'k', replaced }), 'wrong_audience')
    expect(touched).toEqual([])
  })
})

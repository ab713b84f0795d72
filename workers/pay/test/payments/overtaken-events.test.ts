import type { Intent } from '@svc/protocol/pay/intents'
import { describe, expect, it } from 'vitest'
import { databaseWith } from '../database.fixture.ts'
import { call, caller, dataOf } from '../harness.ts'
import { deliver, eventOf, grantsOf, sessionOf, subscriptionOf } from './stripe.fixture.ts'

const DAY = 86_400_000

/** Delivers an event whose change is decided and not yet written when another event is applied. */
async function deliverOvertaken(event: object, by: object): Promise<void> {
  let isOvertaken = false
  const replaced = databaseWith(async (sql, work) => {
    if (sql.includes('INSERT INTO provider_events') && !isOvertaken) {
      isOvertaken = true
      expect((await deliver(by)).status).toBe(200)
    }
    return work()
  })
  expect((await deliver(event, { replaced })).status).toBe(200)
  expect(isOvertaken).toBe(true)
}

describe('an event that is overtaken before it is written is decided again', () => {
  it('and older news of a subscription changes nothing', async () => {
    const { did } = (await caller()).identity
    const start = Math.floor(Date.now() / 1000) * 1000
    const event = (sku: string, created: number) =>
      eventOf('customer.subscription.updated', subscriptionOf(did, { sku, start, end: start + 30 * DAY }), { created })
    await deliverOvertaken(event('provenance-month', start), event('atelier-month', start + 1000))
    expect(await grantsOf(did)).toMatchObject([{ tier: 'atelier', version: 1 }])
  })

  it('and newer news of a subscription follows the older', async () => {
    const { did } = (await caller()).identity
    const start = Math.floor(Date.now() / 1000) * 1000
    const event = (sku: string, created: number) =>
      eventOf('customer.subscription.updated', subscriptionOf(did, { sku, start, end: start + 30 * DAY }), { created })
    await deliverOvertaken(event('atelier-month', start + 1000), event('provenance-month', start))
    expect(await grantsOf(did)).toMatchObject([{ tier: 'atelier', version: 2 }])
  })

  it('and a page that was paid does not expire', async () => {
    const by = await caller()
    const body = { sku: 'provenance-pass-month' }
    const { id } = dataOf<Intent>(await call(by, 'POST', '/pay/intent', { body, key: 'k' }))
    const session = sessionOf(id, `cs_local_${id}`)
    await deliverOvertaken(eventOf('checkout.session.expired', session), eventOf('checkout.session.completed', session))
    expect(dataOf<Intent>(await call(by, 'GET', `/pay/intent/${id}`)).state).toBe('paid')
    expect(await grantsOf(by.identity.did)).toMatchObject([{ version: 1 }])
  })
})

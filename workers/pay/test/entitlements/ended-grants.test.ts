import { env } from 'cloudflare:workers'
import type { GrantList } from '@svc/protocol/operator/reads'
import type { Entitlement, Grant } from '@svc/protocol/pay/entitlements'
import { expectRefusal } from '@svc/service/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { databaseWith } from '../database.fixture.ts'
import { call, caller, dataOf, sendWith } from '../harness.ts'
import { deliver, eventOf, subscriptionOf } from '../payments/stripe.fixture.ts'
import { act, DAY_MS, grantEnd, grantRead, issued, licence, readGrants, redeem } from '../quota/quota.fixture.ts'

afterEach(() => vi.useRealTimers())
type By = Awaited<ReturnType<typeof caller>>
const entitlement = async (by: By) => dataOf<Entitlement>(await call(by, 'GET', '/entitlement'))
const subscribed = (by: By, start: number, created: number) =>
  eventOf('customer.subscription.updated', subscriptionOf(by.identity.did, { start, end: start + 30 * DAY_MS }), {
    created,
  })
async function versionOf(id: string) {
  const [db, table] = id.startsWith('code:') ? [env.CONTROL_DB, 'issued_grants'] : [env.DB, 'grants']
  return db.prepare(`SELECT version FROM ${table} WHERE id = ?`).bind(id).first('version')
}

describe('the operator ends a grant', () => {
  it('and its tier is gone at once, while a later grant of the owner begins as planned', async () => {
    const by = await caller()
    const first = dataOf<Grant>(await redeem(by, await issued({ tier: 'atelier', days: 10 })))
    const second = dataOf<Grant>(await redeem(by, await issued({ tier: 'atelier', days: 10 })))
    dataOf(await act(await grantEnd(first.id)))
    expect(await entitlement(by)).toMatchObject({ tier: 'notes', grants: [second] })
    vi.setSystemTime(second.periodStart)
    expect((await entitlement(by)).tier).toBe('atelier')
  })

  it('and one that has not begun never gives its tier', async () => {
    const by = await caller()
    dataOf<Grant>(await redeem(by, await issued({ days: 10 })))
    const second = dataOf<Grant>(await redeem(by, await issued({ days: 10 })))
    dataOf(await act(await grantEnd(second.id)))
    expect((await entitlement(by)).next).toBe('notes')
    vi.setSystemTime(second.periodStart + 1)
    expect((await entitlement(by)).tier).toBe('notes')
  })

  it('and a newer event of the provider does not revive it', async () => {
    const by = await caller()
    const start = Math.floor(Date.now() / 1000) * 1000
    await deliver(subscribed(by, start, start))
    const [grant] = (await entitlement(by)).grants
    dataOf(await act(await grantEnd(grant?.id ?? '')))
    await deliver(subscribed(by, start, start + 5000))
    expect(await entitlement(by)).toMatchObject({ tier: 'notes', grants: [] })
  })

  it('and an event that was applied after the grant was read is ended with it', async () => {
    const by = await caller()
    const start = Math.floor(Date.now() / 1000) * 1000
    await deliver(subscribed(by, start, start))
    const [grant] = (await entitlement(by)).grants
    let isOvertaken = false
    const replaced = databaseWith(async (sql, work) => {
      if (sql.includes("SET status = 'ended'") && !isOvertaken) {
        isOvertaken = true
        await deliver(subscribed(by, start + DAY_MS, start + 5000))
      }
      return work()
    })
    dataOf(await act(await grantEnd(grant?.id ?? ''), sendWith(replaced)))
    expect(isOvertaken).toBe(true)
    expect((await entitlement(by)).tier).toBe('notes')
    expect(await versionOf(grant?.id ?? '')).toBe(3)
  })

  it('twenty times at once, and it is ended once', async () => {
    const by = await caller()
    const { id } = dataOf<Grant>(await redeem(by, await issued()))
    const acts = await Promise.all(Array.from({ length: 20 }, () => grantEnd(id)))
    for (const answer of await Promise.all(acts.map((signed) => act(signed)))) dataOf(answer)
    expect(await versionOf(id)).toBe(2)
    expect((await entitlement(by)).tier).toBe('notes')
  })

  it('that does not exist, or for a reason that is not listed, and is refused', async () => {
    expectRefusal(await act(await grantEnd('code:unknown')), 'not_found')
    const { id } = dataOf<Grant>(await redeem(await caller(), await issued()))
    expectRefusal(await act(await grantEnd(id, { reason: 'because' })), 'invalid_request')
  })
})

describe('the operator lists the grants of an identity', () => {
  it('as their owner sees them, with the ids by which they are ended', async () => {
    const by = await caller()
    const { did } = by.identity
    dataOf<Grant>(await redeem(by, await issued({ tier: 'atelier', days: 10 })))
    dataOf(await act(await licence({ did, tier: 'research' })))
    const { tier, grants } = await entitlement(by)
    const listed = dataOf<GrantList>(await readGrants(await grantRead(did)))
    expect(listed).toMatchObject({ type: 'svc/operator-grants/v1', did, tier, grants })
    expect(listed.grants.map(({ source }) => source).toSorted()).toEqual(['code', 'licence'])
    for (const { id } of listed.grants) dataOf(await act(await grantEnd(id)))
    expect(dataOf<GrantList>(await readGrants(await grantRead(did)))).toMatchObject({ tier: 'notes', grants: [] })
  })

  it('with a read of their own key, once', async () => {
    const { did } = (await caller()).identity
    const read = await grantRead(did)
    expect((await readGrants(read)).status).toBe(200)
    expectRefusal(await readGrants(read), 'statement_replay')
    expectRefusal(await readGrants(await grantRead(did, new Uint8Array(32).fill(6))), 'invalid_signature')
    expectRefusal(await readGrants(await grantRead('did:web:example.com')), 'invalid_request')
  })
})

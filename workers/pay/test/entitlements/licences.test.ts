import type { Entitlement } from '@svc/protocol/pay/entitlements'
import { expectRefusal } from '@svc/service/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { call, caller, dataOf } from '../harness.ts'
import { act, DAY_MS, grantEnd, issued, licence, redeem } from '../quota/quota.fixture.ts'

afterEach(() => vi.useRealTimers())
type By = Awaited<ReturnType<typeof caller>>
const entitlement = async (by: By) => dataOf<Entitlement>(await call(by, 'GET', '/entitlement'))
const done = async (signed: unknown) => dataOf(await act(signed))

describe.each(['licence', 'organization'] as const)('the grant of the source %s', (source) => {
  it('is granted and revoked by acts of the operator, and the tier follows at once', async () => {
    const by = await caller()
    const { did } = by.identity
    const expiresAt = Date.now() + 30 * DAY_MS
    await done(await licence({ did, source, tier: 'atelier', expiresAt }))
    expect(await entitlement(by)).toMatchObject({ tier: 'atelier', source, until: expiresAt, next: 'notes' })
    await done(await licence({ did, source, action: 'revoke' }))
    expect(await entitlement(by)).toMatchObject({ tier: 'notes', source: 'signup', grants: [] })
  })

  it('ends by itself, to the millisecond', async () => {
    const by = await caller()
    const expiresAt = Date.now() + DAY_MS
    await done(await licence({ did: by.identity.did, source, tier: 'research', expiresAt }))
    vi.setSystemTime(expiresAt - 1)
    expect((await entitlement(by)).tier).toBe('research')
    vi.setSystemTime(expiresAt)
    expect((await entitlement(by)).tier).toBe('notes')
  })

  it('is one: a newer act replaces its tier and its end', async () => {
    const by = await caller()
    const { did } = by.identity
    await done(await licence({ did, source, tier: 'research' }))
    const { from } = await entitlement(by)
    const expiresAt = Date.now() + 5 * DAY_MS
    vi.setSystemTime(Date.now() + DAY_MS)
    await done(await licence({ did, source, tier: 'provenance', expiresAt }))
    expect(await entitlement(by)).toMatchObject({ tier: 'provenance', from, until: expiresAt })
    expect((await entitlement(by)).grants).toHaveLength(1)
  })

  it('is as the newest act says, in whichever order acts arrive; at the same instant it is revoked', async () => {
    const now = Date.now()
    for (const at of [now - 1000, now]) {
      const by = await caller()
      const { did } = by.identity
      const acts = [
        await licence({ did, source, issuedAt: at }),
        await licence({ did, source, action: 'revoke', issuedAt: now }),
      ]
      for (const signed of at === now ? acts : acts.toReversed()) await done(signed)
      expect((await entitlement(by)).tier).toBe('notes')
      await done(await licence({ did, source, issuedAt: at }))
      expect((await entitlement(by)).tier).toBe('notes')
      await done(await licence({ did, source, issuedAt: now + 1 }))
      expect((await entitlement(by)).tier).toBe('atelier')
    }
  })

  it.each([
    ['granted', 'research'],
    ['revoked', 'notes'],
  ])('is as the newest of twenty acts says that come at once: %s', async (newest, tier) => {
    const by = await caller()
    const now = Date.now()
    const acts = await Promise.all(
      Array.from({ length: 20 }, (_, i) => {
        const isGrant = i === 19 ? newest === 'granted' : i % 2 === 0
        const terms = isGrant ? { tier: i === 19 ? 'research' : 'atelier' } : { action: 'revoke' }
        return licence({ did: by.identity.did, source, issuedAt: now + i, ...terms })
      }),
    )
    // The newest is neither first nor last.
    const sent = [...acts.slice(10), ...acts.slice(0, 10)]
    for (const { status } of await Promise.all(sent.map((signed) => act(signed)))) expect(status).toBe(200)
    expect((await entitlement(by)).tier).toBe(tier)
  })

  it('is ended like any other grant, and granted anew by a later act', async () => {
    const by = await caller()
    const { did } = by.identity
    await done(await licence({ did, source }))
    await done(await grantEnd(`${source}:${did}`))
    expect((await entitlement(by)).tier).toBe('notes')
    vi.setSystemTime(Date.now() + 1000)
    await done(await licence({ did, source }))
    expect(await entitlement(by)).toMatchObject({ tier: 'atelier', from: Date.now() })
  })

  it('runs beside a code of its tier, whose time is lost by no revocation', async () => {
    const by = await caller()
    const { did } = by.identity
    await done(await licence({ did, source, tier: 'provenance' }))
    await redeem(by, await issued({ days: 3 }))
    await done(await licence({ did, source, action: 'revoke' }))
    expect(await entitlement(by)).toMatchObject({ tier: 'provenance', source: 'code' })
  })

  it.each([
    ['no end', { expiresAt: null }],
    ['no tier', { tier: null }],
    ['a tier that there is not', { tier: 'city' }],
    ['an end of what is revoked', { action: 'revoke', tier: null, expiresAt: 1 }],
    ['another action', { action: 'extend' }],
    ['a DID of another method', { did: 'did:web:example.com' }],
    ['another source', { source: 'subscription' }],
  ])('is refused with %s', async (_, terms) => {
    const did = `did:svc:${'A'.repeat(32)}`
    expectRefusal(await act(await licence({ did, source, ...terms })), 'invalid_request')
  })
})

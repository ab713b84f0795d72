import { env } from 'cloudflare:workers'
import type { Entitlement, Grant } from '@svc/protocol/pay/entitlements'
import { expectRefusal } from '@svc/service/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { call, caller, dataOf, sendWith } from '../harness.ts'
import { act, codeAct, DAY_MS, freshCode, issued, redeem } from '../quota/quota.fixture.ts'

afterEach(() => vi.useRealTimers())
/** The counter of a location that has counted nothing yet. */
const FRESH_LIMIT = { limit: async () => ({ success: true }) }
const entitlement = async (by: Awaited<ReturnType<typeof caller>>) =>
  dataOf<Entitlement>(await call(by, 'GET', '/entitlement'))

describe('an entitlement', () => {
  it('is notes from the signup on', async () => {
    expect(await entitlement(await caller())).toEqual({
      tier: 'notes',
      source: 'signup',
      from: null,
      until: null,
      renews: false,
      next: 'notes',
      limits: { capsule: 20, video: 5, text: 20, search: 100 },
      grants: [],
    })
  })
})

describe('a code', () => {
  it('can be guessed exactly ten times in 60 seconds per address, from any location', async () => {
    const [by, address] = [await caller(), '2001:db8:ac:2::1']
    const replaced = { LIMIT_10: FRESH_LIMIT }
    const guess = () => call(by, 'POST', '/entitlement/redeem', { body: { code: freshCode() }, address, replaced })
    const answers = await Promise.all(Array.from({ length: 20 }, guess))
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(10)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(10)
  })

  it('gives its tier for its days, and then no more', async () => {
    const [by, code] = [await caller(), await issued({ tier: 'atelier', days: 10 })]
    const grant = dataOf<Grant>(await redeem(by, code))
    expect(grant).toMatchObject({ tier: 'atelier', source: 'code', renews: false })
    expect(grant.periodEnd - grant.periodStart).toBe(10 * DAY_MS)
    expect(await entitlement(by)).toMatchObject({
      tier: 'atelier',
      until: grant.periodEnd,
      next: 'notes',
      grants: [grant],
    })
    vi.setSystemTime(grant.periodEnd)
    expect(await entitlement(by)).toMatchObject({ tier: 'notes', grants: [] })
  })

  it('serves once: again for its owner it is the same grant, for anybody else nothing', async () => {
    const [by, code] = [await caller(), await issued()]
    const grant = dataOf<Grant>(await redeem(by, code))
    vi.setSystemTime(Date.now() + DAY_MS)
    expect(dataOf<Grant>(await redeem(by, code))).toEqual(grant)
    expectRefusal(await redeem(await caller(), code), 'code_unusable')
  })

  it('is the same however it is typed', async () => {
    const [by, code] = [await caller(), await issued()]
    const grant = dataOf<Grant>(await redeem(by, code.toLowerCase()))
    for (const typed of [code, code.replaceAll('-', ''), ` ${code.replaceAll('-', ' ')} `]) {
      expect(dataOf<Grant>(await redeem(by, typed))).toEqual(grant)
    }
    expectRefusal(await redeem(by, `${code}0`), 'invalid_request')
  })

  it('of a tier that runs begins when the other one has ended', async () => {
    const by = await caller()
    const first = dataOf<Grant>(await redeem(by, await issued()))
    const second = dataOf<Grant>(await redeem(by, await issued()))
    expect(second.periodStart).toBe(first.periodEnd)
    expect((await entitlement(by)).tier).toBe('provenance')
    const higher = dataOf<Grant>(await redeem(by, await issued({ tier: 'atelier', days: 1 })))
    expect(higher.periodStart).toBeLessThan(first.periodEnd)
    expect(await entitlement(by)).toMatchObject({ tier: 'atelier', until: higher.periodEnd, next: 'provenance' })
  })

  it('that nobody issued, or that is too late, is not redeemed', async () => {
    const by = await caller()
    expectRefusal(await redeem(by, freshCode()), 'code_unusable')
    const code = await issued({ redeemableUntil: Date.now() + 60_000 })
    vi.setSystemTime(Date.now() + 60_000)
    expectRefusal(await redeem(by, code), 'code_unusable')
    for (const nonsense of ['', 'AAAA', 'aaaa-bbbb-cccc-ddd', 'AAAA-BBBB-CCCC-DDDU']) {
      expectRefusal(await redeem(by, nonsense), 'invalid_request')
    }
  })

  it('is nowhere stored as it is', async () => {
    const code = await issued()
    await redeem(await caller(), code)
    const rows = await Promise.all([
      env.CONTROL_DB.prepare('SELECT * FROM entitlement_codes').all(),
      env.CONTROL_DB.prepare('SELECT * FROM issued_grants').all(),
      env.CONTROL_DB.prepare('SELECT * FROM operator_acts').all(),
    ])
    expect(JSON.stringify(rows)).not.toContain(code)
    expect(JSON.stringify(rows)).not.toContain(code.replaceAll('-', ''))
  })
})

describe('an act of the operator', () => {
  it('is recorded and taken once', async () => {
    const signed = await codeAct(freshCode())
    expect((await act(signed)).status).toBe(200)
    expectRefusal(await act(signed), 'statement_replay')
    const row = await env.CONTROL_DB.prepare('SELECT type, operator, done_at FROM operator_acts WHERE nonce = ?')
      .bind(signed.statement.nonce)
      .first()
    expect(row).toMatchObject({ type: 'svc/operator-entitlement-code/v1', done_at: expect.any(Number) })
    expect(row?.['operator']).toMatch(/^[0-9a-f]{96}$/)
  })

  it('is refused by another key, too old, without an operator, and with what its type does not have', async () => {
    const code = freshCode()
    expectRefusal(await act(await codeAct(code, {}, new Uint8Array(32).fill(8))), 'invalid_signature')
    expectRefusal(await act(await codeAct(code, { issuedAt: Date.now() - 300_001 })), 'statement_expired')
    const without = sendWith({ OPERATOR_PUBLIC_KEY: '' })
    expectRefusal(await act(await codeAct(code), without), 'operator_acts_disabled')
    for (const wrong of [{ tier: 'city' }, { days: 0 }, { force: true }, { service: 'core' }]) {
      expectRefusal(await act(await codeAct(code, wrong)), 'invalid_request')
    }
    expectRefusal(await redeem(await caller(), code), 'code_unusable')
  })
})

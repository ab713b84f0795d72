import { afterEach, describe, expect, it, vi } from 'vitest'
import { anonymous, CORE, call, freshCaller, sendWith } from '../harness.ts'
import { actAtPay, DAY_MS, freshCode, issued, redeem, signedAct } from './licences.fixture.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const UNUSABLE = {
  status: 404,
  body: { success: false, error: 'code_unusable', message: 'The code is unknown, used or expired' },
}

/** The counter of a location that has counted nothing yet. */
const FRESH_LIMIT = { limit: async () => ({ success: true }) }

describe('an activation code', () => {
  it('grants a licence of its tier and duration', async () => {
    const { client, identity } = await freshCaller()
    expect(await client.account.licence()).toEqual({ licensed: false, tier: null, expiresAt: null })
    const code = await issued({ tier: 'atelier', days: 365 })
    const before = Date.now()
    const licence = await client.account.redeem(code, identity.did)
    expect(licence).toEqual({ licensed: true, tier: 'atelier', expiresAt: expect.any(Number) })
    const began = (licence.expiresAt ?? 0) - 365 * DAY_MS
    expect(began).toBeGreaterThanOrEqual(before)
    expect(began).toBeLessThanOrEqual(Date.now())
    expect(await client.account.licence()).toEqual(licence)
  })

  it('is typed in any case, with or without hyphens', async () => {
    const { client, identity } = await freshCaller()
    const code = await issued()
    const licence = await client.account.redeem(code.toLowerCase().replaceAll('-', ''), identity.did)
    expect(licence.licensed).toBe(true)
    expect(await client.account.redeem(code.replaceAll('-', ' '), identity.did)).toEqual(licence)
  })

  it('redeemed again by the same identity returns the same licence', async () => {
    const { client, identity } = await freshCaller()
    const code = await issued()
    const licence = await client.account.redeem(code, identity.did)
    expect(await client.account.redeem(code, identity.did)).toEqual(licence)
  })

  it('that is unknown, used or expired gets the same answer', async () => {
    const [first, second] = [await freshCaller(), await freshCaller()]
    const used = await issued()
    await first.client.account.redeem(used, first.identity.did)
    // Signed a minute ago, within the tolerance of clocks.
    const expired = await issued({ issuedAt: Date.now() - 60_000, redeemableUntil: Date.now() - 30_000 })
    for (const code of [used, expired, freshCode()]) {
      const { status, body } = await redeem(code, second.identity.did)
      expect({ status, body }).toEqual({ ...UNUSABLE, body: { ...UNUSABLE.body, timestamp: expect.any(Number) } })
    }
    expect(await second.client.account.licence()).toMatchObject({ licensed: false })
  })

  it('is not used up by an unknown or deactivated identity', async () => {
    const { client, identity } = await freshCaller()
    const ended = await freshCaller()
    await ended.client.security.deactivate()
    const code = await issued()
    for (const did of [`did:svc:${'x'.repeat(32)}`, ended.identity.did]) {
      expect(await redeem(code, did)).toMatchObject({ status: 404, body: { error: 'not_found' } })
    }
    expect(await client.account.redeem(code, identity.did)).toMatchObject({ licensed: true })
  })

  it.each([
    ['too few characters', 'AAAA-BBBB-CCCC-DDD'],
    ['too many characters', 'AAAABBBBCCCCDDDDE'],
    ['a letter that there is not', 'AAAA-BBBB-CCCC-DDDU'],
    ['nothing', ''],
  ])('in %s is not a code', async (_, code) => {
    const { status, body } = await redeem(code, `did:svc:${'x'.repeat(32)}`)
    expect({ status, code: body['code'] }).toEqual({ status: 400, code: 'invalid_request' })
    if (code !== '') expect(JSON.stringify(body)).not.toContain(code)
  })

  it('is not logged', async () => {
    const lines = vi.spyOn(console, 'log').mockImplementation(() => {})
    const { identity } = await freshCaller()
    const [good, unknown] = [await issued(), freshCode()]
    await redeem(good, identity.did)
    await redeem(unknown, identity.did)
    expect(lines.mock.calls.length).toBeGreaterThanOrEqual(2)
    const seen = JSON.stringify(lines.mock.calls)
    for (const code of [good, unknown]) {
      expect(seen).not.toContain(code)
      expect(seen).not.toContain(code.replaceAll('-', ''))
    }
  })

  it('can be tried exactly ten times in 60 seconds per address, from any location', async () => {
    const headers = { 'cf-connecting-ip': '2001:db8:ac:1::1', 'content-type': 'application/json' }
    const body = JSON.stringify({ code: freshCode(), did: `did:svc:${'x'.repeat(32)}` })
    const guess = () =>
      sendWith({ LIMIT_10: FRESH_LIMIT })(
        new Request(`${CORE}/api/activation/redeem`, { method: 'POST', headers, body }),
      )
    const answers = await Promise.all(Array.from({ length: 20 }, guess))
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(10)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(10)
  })
})

describe('twenty concurrent requests', () => {
  it('for one code by twenty identities: one gets it, the others get the same error', async () => {
    const callers = await Promise.all(Array.from({ length: 20 }, () => freshCaller()))
    const code = await issued()
    const answers = await Promise.all(callers.map(({ identity }) => redeem(code, identity.did)))
    const winners = callers.filter((_, i) => answers[i]?.status === 200)
    expect(winners).toHaveLength(1)
    expect(answers.filter(({ status, body }) => status === 404 && body['error'] === 'code_unusable')).toHaveLength(19)
    const licences = await Promise.all(callers.map(({ client }) => client.account.licence()))
    expect(licences.filter(({ licensed }) => licensed)).toHaveLength(1)
    const [winner] = winners
    if (!winner) throw new Error('nobody won')
    expect((await redeem(code, winner.identity.did)).status).toBe(200)
  })

  it('for one code by one identity: the licence is granted once', async () => {
    const { client, identity } = await freshCaller()
    const code = await issued({ days: 10 })
    const answers = await Promise.all(Array.from({ length: 20 }, () => redeem(code, identity.did)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect((await client.account.licence()).expiresAt).toBeLessThanOrEqual(Date.now() + 10 * DAY_MS)
  })

  it('for twenty codes by one identity: the licence has their total duration', async () => {
    const { client, identity } = await freshCaller()
    const codes = await Promise.all(Array.from({ length: 20 }, () => issued({ days: 10 })))
    const before = Date.now()
    const answers = await Promise.all(codes.map((code) => redeem(code, identity.did)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    const { expiresAt } = await client.account.licence()
    expect(expiresAt).toBeGreaterThanOrEqual(before + 200 * DAY_MS)
    expect(expiresAt).toBeLessThan(before + 200 * DAY_MS + 60_000)
  })
})

describe('a licence', () => {
  it('is of the highest tier, and of that one to its end', async () => {
    const { client, identity } = await freshCaller()
    const first = await client.account.redeem(await issued({ tier: 'notes', days: 30 }), identity.did)
    const second = await client.account.redeem(await issued({ tier: 'research', days: 7 }), identity.did)
    expect(second).toEqual({ licensed: true, tier: 'research', expiresAt: expect.any(Number) })
    expect(second.expiresAt).toBeLessThan(first.expiresAt ?? 0)
  })

  it('of the operator is granted and revoked at pay, and core says so at once', async () => {
    const { client, identity } = await freshCaller()
    const about = { did: identity.did, source: 'licence' }
    const expiresAt = Date.now() + DAY_MS
    await actAtPay(
      await signedAct('svc/operator-licence/v1', { ...about, action: 'grant', tier: 'research', expiresAt }),
    )
    expect(await client.account.licence()).toEqual({ licensed: true, tier: 'research', expiresAt })
    const revoked = { ...about, action: 'revoke', tier: null, expiresAt: null, issuedAt: Date.now() + 1 }
    await actAtPay(await signedAct('svc/operator-licence/v1', revoked))
    expect(await client.account.licence()).toEqual({ licensed: false, tier: null, expiresAt: null })
  })

  it('can only be read by its identity, with a fresh assertion each time', async () => {
    const { identity } = await freshCaller()
    expect((await anonymous('POST', '/api/user/verify')).status).toBe(401)
    const caller = await freshCaller()
    await redeem(await issued(), identity.did)
    expect(await call(caller, 'POST', '/api/user/verify')).toMatchObject({
      status: 200,
      body: { success: true, data: { licensed: false, tier: null, expiresAt: null } },
    })
  })
})

const NO_ANSWERS: readonly [string, () => Promise<unknown>][] = [
  ['throws', () => Promise.reject(new Error('gone'))],
  ['answers nothing', async () => undefined],
  ['answers yes', async () => ({ licensed: true })],
  ['names a tier that there is not', async () => ({ tier: 'all', source: 'code', from: 1, until: 2, planUntil: null })],
  ['answers an envelope', async () => ({ success: true, data: { tier: 'notes' } })],
]

describe('while pay', () => {
  it.each(NO_ANSWERS)('%s, no licence is confirmed or denied, and no code is used', async (_, answer) => {
    const caller = await freshCaller()
    const code = await issued()
    const broken = sendWith({ PAY: { standing: answer, redeem: answer } })
    expect(await call(caller, 'POST', '/api/user/verify', undefined, broken)).toMatchObject({
      status: 503,
      body: { error: 'dependency_unavailable' },
    })
    const body = new TextEncoder().encode(JSON.stringify({ code, did: caller.identity.did }))
    const refused = await broken(new Request(`${CORE}/api/activation/redeem`, { method: 'POST', body }))
    expect(refused.status).toBe(503)
    expect(await caller.client.account.redeem(code, caller.identity.did)).toMatchObject({ licensed: true })
  })

  it('does not answer in time, the answer is 503', async () => {
    const caller = await freshCaller()
    vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
      const late = new AbortController()
      queueMicrotask(() => late.abort(new Error('too late')))
      return late.signal
    })
    const silent = sendWith({ PAY: { standing: () => new Promise(() => {}) } })
    expect(await call(caller, 'POST', '/api/user/verify', undefined, silent)).toMatchObject({
      status: 503,
      body: { error: 'dependency_unavailable' },
    })
  })
})

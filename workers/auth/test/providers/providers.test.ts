import { expectRefusal } from '@svc/service/testing'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { dataOf, freshGrant, post, proberWith, rowsOf } from '../harness.ts'
import { logIn, register } from '../opaque/opaque-client.fixture.ts'
import {
  CLIENT_ID,
  callback,
  comeBack,
  ENTRA,
  GOOGLE,
  prober,
  RETURN_TO,
  redirected,
  SETTINGS,
  start,
  TENANT,
  TestProvider,
  ticketOf,
  verifier,
} from './provider.fixture.ts'

interface Onboarding {
  readonly provider: string
  readonly subjectHash: string
  readonly emailVerified: boolean
  readonly hasAccount: boolean
  readonly grant: string | null
}
const verify = (ticket: string, by = prober) => post('onboard/ticket/verify', { ticket, verifier }, {}, by)

let provider: TestProvider
let people = 0
beforeEach(async () => {
  provider = await TestProvider.stand()
  people += 1
  provider.answers = { claims: { sub: `subject-${people}` } }
})

describe.each(['google', 'microsoft'] as const)('onboarding by %s', (name) => {
  const origin = name === 'google' ? GOOGLE : ENTRA

  it('sends a browser on with PKCE, state and nonce, and a cookie for this host alone', async () => {
    const { status, headers } = await start(name)
    const location = new URL(headers.get('location') ?? '')
    expect(status).toBe(302)
    expect(location.origin + location.pathname).toBe(`${origin}/authorize`)
    expect(Object.fromEntries(location.searchParams)).toEqual({
      client_id: CLIENT_ID,
      redirect_uri: `https://auth.test/api/auth/${name}/callback`,
      response_type: 'code',
      scope: 'openid email',
      state: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      nonce: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      code_challenge: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      code_challenge_method: 'S256',
    })
    expect(headers.get('set-cookie')).toMatch(
      /^__Host-svc-onboarding=[A-Za-z0-9_-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=600$/,
    )
    expect(headers.get('referrer-policy')).toBe('strict-origin-when-cross-origin')
  })

  it('ends in a ticket, which gives one account once', async () => {
    const back = await comeBack(provider, name)
    expect(back.headers.get('location')?.startsWith(`${RETURN_TO}#ticket=`)).toBe(true)
    expect(back.headers.get('set-cookie')).toContain('Max-Age=0')
    const ticket = ticketOf(back)
    const onboarding = dataOf<Onboarding>(await verify(ticket))
    expect(onboarding).toMatchObject({
      provider: name,
      subjectHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      emailVerified: name === 'google',
      hasAccount: false,
    })
    expectRefusal(await verify(ticket), 'code_unusable')
    const before = await rowsOf('accounts')
    const grant = onboarding.grant ?? ''
    expect(dataOf(await register(`at-${name}`, 'x', { grant }))).toEqual({ received: true })
    expect((await logIn(`at-${name}`, 'x')).status).toBe(200)
    expectRefusal(await register(`at-${name}-again`, 'x', { grant }), 'code_unusable')
    expect(await rowsOf('accounts')).toBe(before + 1)

    const again = dataOf<Onboarding>(await verify(ticketOf(await comeBack(provider, name))))
    const recovery = { hasAccount: true, grant: expect.any(String), expiresAt: expect.any(Number) }
    expect(again).toEqual({ ...onboarding, ...recovery })
  })

  it('gives one account for two tickets of one person', async () => {
    const tickets = [ticketOf(await comeBack(provider, name)), ticketOf(await comeBack(provider, name))]
    const grants = []
    for (const ticket of tickets) grants.push(dataOf<Onboarding>(await verify(ticket)).grant ?? '')
    expect((await register(`first-at-${name}`, 'x', { grant: grants[0] ?? '' })).status).toBe(200)
    expectRefusal(await register(`second-at-${name}`, 'x', { grant: grants[1] ?? '' }), 'account_exists')
    expectRefusal(await logIn(`second-at-${name}`, 'x'), 'sign_in_rejected')
  })

  it('goes back with an error of its own where the person did not go on', async () => {
    const { state, cookie } = await redirected(provider, name)
    const back = await callback(name, { error: 'access_denied', error_description: 'canary', state }, cookie)
    expect(back.headers.get('location')).toBe(`${RETURN_TO}#error=declined`)
    expectRefusal(await callback(name, { code: 'code', state }, cookie), 'code_unusable')
  })

  it.each([
    ['server_error', 'server_error'],
    ['temporarily_unavailable', 'temporarily_unavailable'],
    ['unauthorized_client', 'unauthorized_client'],
    ['invalid_scope', 'invalid_scope'],
    ['interaction_required', 'interaction_required'],
    ['canary', 'another error'],
  ])('goes back with a failure where the provider says %s, and logs %s', async (error, logged) => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    const by = proberWith({ ...SETTINGS, LOG_SAMPLE: 0 })
    const { state, cookie } = await redirected(provider, name, by)
    const back = await callback(name, { error, error_description: 'canary', state }, cookie, by)
    const reasons = log.mock.calls.map(([line]) => JSON.parse(String(line)) as { reason?: string })
    log.mockRestore()
    expect([back.status, back.headers.get('location')]).toEqual([302, `${RETURN_TO}#error=failed`])
    expect(reasons).toMatchObject([{ status: 302, reason: `provider: ${logged}` }])
    expect(JSON.stringify(reasons)).not.toMatch(/canary/)
  })

  it('goes back to listed URLs alone', async () => {
    for (const returnTo of [
      `${RETURN_TO}/`,
      'https://app.test',
      'https://evil.test/welcome',
      'javascript:alert(1)',
      '',
    ]) {
      const refused = await start(name, { returnTo })
      expectRefusal(refused, 'invalid_request')
      expect(refused.headers.get('set-cookie')).toBeNull()
    }
    expect(provider.requests).toEqual([])
  })

  it('is off where it is not set up whole', async () => {
    const prefix = name.toUpperCase()
    for (const missing of ['ISSUER', 'CLIENT_ID', 'CLIENT_SECRET']) {
      const off = proberWith({ ...SETTINGS, [`${prefix}_${missing}`]: '' })
      expectRefusal(await start(name, {}, off), 'provider_disabled')
      expectRefusal(await callback(name, { code: 'x', state: 'A'.repeat(43) }, 'x=y', off), 'provider_disabled')
    }
  })
})

describe('the hash of a person at a provider', () => {
  const hashOf = async (name: 'google' | 'microsoft', claims: Record<string, unknown>) => {
    provider.answers = { claims }
    return dataOf<Onboarding>(await verify(ticketOf(await comeBack(provider, name)))).subjectHash
  }

  it('is of issuer and subject: the same again, and another for another tenant, subject or provider', async () => {
    const tid = TENANT.replace('7', '8')
    const hashes = [
      await hashOf('google', { sub: 'one' }),
      await hashOf('google', { sub: 'two' }),
      await hashOf('microsoft', { sub: 'one' }),
      await hashOf('microsoft', { sub: 'one', tid, iss: `${ENTRA}/${tid}/v2.0` }),
    ]
    expect(new Set(hashes).size).toBe(4)
    expect(await hashOf('google', { sub: 'one', email: 'other@example.org' })).toBe(hashes[0])
  })
})

describe('a ticket', () => {
  it('is worth nothing without its verifier, and is spent by a wrong one', async () => {
    const ticket = ticketOf(await comeBack(provider, 'google'))
    const wrong = { ticket, verifier: 'A'.repeat(43) }
    expectRefusal(await post('onboard/ticket/verify', wrong, {}, prober), 'code_unusable')
    expectRefusal(await verify(ticket), 'code_unusable')
  })

  it('cannot serve as a grant, nor a grant as a ticket', async () => {
    const ticket = ticketOf(await comeBack(provider, 'google'))
    expectRefusal(await register('by-ticket', 'x', { grant: ticket }), 'code_unusable')
    expectRefusal(await verify(await freshGrant()), 'code_unusable')
    expectRefusal(await verify('A'.repeat(43)), 'code_unusable')
    expect(dataOf<Onboarding>(await verify(ticket)).grant).not.toBeNull()
  })

  it('is spent by one of twenty', async () => {
    const ticket = ticketOf(await comeBack(provider, 'google'))
    const answers = await Promise.all(Array.from({ length: 20 }, () => verify(ticket)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(19)
  })
})

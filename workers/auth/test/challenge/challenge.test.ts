import { expectRefusal } from '@svc/service/testing'
import { describe, expect, it, vi } from 'vitest'
import { dataOf, post, proberWith } from '../harness.ts'
import { register } from '../opaque/opaque-client.fixture.ts'

const real = proberWith({
  TURNSTILE_SECRET: 'a real secret',
  CHALLENGE_HOSTNAMES: ['app.test'],
  ENVIRONMENT: 'production',
})
const verify = (action = 'register', by = real, token = 'token') => post('turnstile/verify', { token, action }, {}, by)
const passed = (members: object = {}) => ({
  success: true,
  hostname: 'app.test',
  action: 'register',
  challenge_ts: new Date().toISOString(),
  ...members,
})
const answering = (verdict: object, status = 200) =>
  vi.stubGlobal('fetch', async () => Response.json(verdict, { status }))
const FAILED = { success: false, trustScore: 0, grant: null, expiresAt: null }

describe('a bot challenge', () => {
  it('that was passed just now gives a score of 1 and a grant that works', async () => {
    answering(passed())
    const answer = dataOf<{ grant: string; trustScore: number }>(await verify())
    expect(answer).toMatchObject({ success: true, grant: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/) })
    expect(answer.trustScore).toBeGreaterThan(0.99)
    expect(dataOf(await register('challenged', 'x', { grant: answer.grant }))).toEqual({ received: true })
  })

  it('for a login, or at a deployment that is not open, gives a score alone', async () => {
    answering(passed({ action: 'login' }))
    expect(dataOf(await verify('login'))).toMatchObject({ success: true, grant: null, expiresAt: null })
    answering(passed())
    const closed = proberWith({
      TURNSTILE_SECRET: 'a real secret',
      CHALLENGE_HOSTNAMES: ['app.test'],
      OPEN_REGISTRATION: 'off',
    })
    expect(dataOf(await verify('register', closed))).toMatchObject({ success: true, grant: null })
  })

  it('that is old and was interactive gives a score too low for an account', async () => {
    const old = new Date(Date.now() - 250_000).toISOString()
    answering(passed({ challenge_ts: old, metadata: { interactive: true } }))
    expect(dataOf(await verify())).toMatchObject({ success: true, trustScore: 0.55, grant: null })
  })

  it.each([
    ['not passed', { success: false, 'error-codes': ['invalid-input-response'] }],
    ['passed elsewhere', passed({ hostname: 'evil.test' })],
    ['passed for something else', passed({ action: 'login' })],
    ['passed long ago', passed({ challenge_ts: '2026-01-01T00:00:00Z' })],
    ['passed by a testing key', passed({ metadata: { result_with_testing_key: true } })],
  ])('that was %s is worth nothing', async (_, verdict) => {
    answering(verdict)
    expect(dataOf(await verify())).toEqual(FAILED)
  })

  it('without a verdict is 503, and gives nothing', async () => {
    answering({ success: true }, 500)
    expectRefusal(await verify(), 'dependency_unavailable')
    vi.stubGlobal('fetch', () => Promise.reject(new Error('canary')))
    const refused = await verify()
    expectRefusal(refused, 'dependency_unavailable')
    expect(JSON.stringify(refused.body)).not.toContain('canary')
    for (const TURNSTILE_SECRET of [undefined, '', '1x0000000000000000000000000000000AA']) {
      const by = proberWith({ TURNSTILE_SECRET, ENVIRONMENT: 'production' })
      expectRefusal(await verify('register', by, 'XXXX.DUMMY.TOKEN.XXXX'), 'dependency_unavailable')
    }
  })

  it('is answered on the spot locally, by Turnstile’s testing token alone', async () => {
    const local = (token: string) => post('turnstile/verify', { token, action: 'register' })
    expect(dataOf(await local('XXXX.DUMMY.TOKEN.XXXX'))).toMatchObject({ success: true, trustScore: 1 })
    expect(dataOf(await local('another'))).toEqual(FAILED)
  })

  it.each([{}, { token: '' }, { token: 'x'.repeat(2049) }, { token: 'x', action: 'other' }])(
    'of the form %j is refused',
    async (body) => {
      expectRefusal(await post('turnstile/verify', { action: 'register', ...body }, {}, real), 'invalid_request')
    },
  )
})

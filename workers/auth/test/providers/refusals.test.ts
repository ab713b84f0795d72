import { expectRefusal } from '@svc/service/testing'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { isolateWith, proberWith } from '../harness.ts'
import {
  type Answers,
  CLIENT_ID,
  callback,
  comeBack,
  ENTRA,
  GOOGLE,
  prober,
  redirected,
  SETTINGS,
  start,
  TENANT,
  TestProvider,
} from './provider.fixture.ts'

let provider: TestProvider
beforeEach(async () => {
  provider = await TestProvider.stand()
})
const now = Math.floor(Date.now() / 1000)
const OTHER_TENANT = '00000000-1111-2222-3333-444444444444'

describe('a callback', () => {
  it('is taken once, also by twenty at once', async () => {
    const { state, cookie } = await redirected(provider, 'google')
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => callback('google', { code: 'code', state }, cookie)),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([302, ...Array(19).fill(404)])
    expect(provider.requests.filter(({ url }) => url.endsWith('/token'))).toHaveLength(1)
  })

  it('of another browser is refused and ends nothing for this one', async () => {
    const [one, other] = [await redirected(provider, 'google'), await redirected(provider, 'google')]
    provider.remember(one.location)
    for (const cookie of [other.cookie, null, '', '__Host-svc-onboarding=', `${one.cookie}A`, 'other=1']) {
      expectRefusal(await callback('google', { code: 'code', state: one.state }, cookie), 'code_unusable')
    }
    const cookies = `theme=dark; ${one.cookie}; other=1`
    expect((await callback('google', { code: 'code', state: one.state }, cookies)).status).toBe(302)
  })

  it('at the other provider is refused: no mixing of issuers', async () => {
    const { state, cookie } = await redirected(provider, 'google')
    expectRefusal(await callback('microsoft', { code: 'code', state }, cookie), 'code_unusable')
    expectRefusal(await callback('google', { code: 'code', state, iss: ENTRA }, cookie), 'provider_rejected')
    expect(provider.requests.filter(({ url }) => url.endsWith('/token'))).toEqual([])
  })

  it.each(['', 'x', 'A'.repeat(43)])('without a state of ours is refused: %j', async (state) => {
    const { cookie } = await redirected(provider, 'google')
    expectRefusal(await callback('google', { code: 'code', state }, cookie), 'code_unusable')
    expectRefusal(await callback('google', { code: 'code' }, cookie), 'code_unusable')
  })

  it('with a code of another authorization is refused by its challenge', async () => {
    const [one, other] = [await redirected(provider, 'google'), await redirected(provider, 'google')]
    provider.remember(other.location)
    expectRefusal(await callback('google', { code: 'code', state: one.state }, one.cookie), 'provider_rejected')
  })

  it('without a code, or with tokens in the front channel, is refused', async () => {
    const queries: Record<string, string>[] = [
      {},
      { code: '' },
      { code: 'code', id_token: 'x' },
      { code: 'code', response: 'x' },
    ]
    for (const query of queries) {
      const { state, cookie } = await redirected(provider, 'google')
      expectRefusal(await callback('google', { state, ...query }, cookie), 'provider_rejected')
    }
  })

  it('is answered and logged without anything that it carried', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    const { state, cookie } = await redirected(provider, 'google')
    provider.answers = { claims: { sub: 'canary-sub', email: 'canary@example.org', aud: 'canary' } }
    const refused = await callback('google', { code: 'canary-code', state, error_uri: 'canary' }, cookie)
    expectRefusal(refused, 'provider_rejected')
    expect(JSON.stringify([refused.body, [...refused.headers]])).not.toMatch(/canary/)
    expect(log).toHaveBeenCalled()
    for (const [line] of log.mock.calls) {
      expect(String(line)).not.toMatch(/canary/)
      expect(String(line)).not.toContain(state)
    }
  })
})

describe('a token', () => {
  const REFUSED: [string, (of: TestProvider) => Answers][] = [
    ['of no algorithm', (of) => ({ token: (claims) => of.unsigned(claims) })],
    ['under an HMAC', (of) => ({ token: (claims) => of.signByHmac(claims) })],
    ['under another key', (of) => ({ token: (claims) => of.signByAnother(claims) })],
    ['under a key that nobody has', (of) => ({ token: (claims) => of.sign(claims, { alg: 'RS256', kid: 'two' }) })],
    ['that says another algorithm', (of) => ({ token: (claims) => of.sign(claims, { alg: 'PS256', kid: 'one' }) })],
    ['that is none', () => ({ token: () => 'nonsense' })],
    ['of another issuer', () => ({ claims: { iss: 'https://evil.test' } })],
    ['of an issuer with a slash more', () => ({ claims: { iss: `${GOOGLE}/` } })],
    ['for another audience', () => ({ claims: { aud: 'another' } })],
    ['for others besides', () => ({ claims: { aud: [CLIENT_ID, 'another'] } })],
    ['with another nonce', () => ({ claims: { nonce: 'another' } })],
    ['without a nonce', () => ({ claims: { nonce: undefined } })],
    ['that has expired', () => ({ claims: { iat: now - 900, exp: now - 600 } })],
    ['without an end', () => ({ claims: { exp: undefined } })],
    ['that is not valid yet', () => ({ claims: { nbf: now + 3600 } })],
    ['without a subject', () => ({ claims: { sub: undefined } })],
    ['whose subject is not text', () => ({ claims: { sub: 7 } })],
  ]

  it.each(REFUSED)('%s is refused', async (_, answers) => {
    provider.answers = answers(provider)
    expectRefusal(await comeBack(provider, 'google'), 'provider_rejected')
  })

  it.each<[string, Record<string, unknown>]>([
    ['another tenant’s issuer', { iss: `${ENTRA}/${OTHER_TENANT}/v2.0` }],
    ['another tenant than its issuer', { tid: OTHER_TENANT }],
    ['no tenant', { tid: undefined }],
    ['the template for an issuer', { iss: `${ENTRA}/{tenantid}/v2.0` }],
    ['a tenant that is a path', { tid: '../evil', iss: `${ENTRA}/../evil/v2.0` }],
    ['everybody for a tenant', { tid: 'common', iss: `${ENTRA}/common/v2.0` }],
    ['another host', { iss: `https://evil.test/${TENANT}/v2.0` }],
  ])('of Microsoft with %s is refused', async (_, claims) => {
    provider.answers = { claims }
    expectRefusal(await comeBack(provider, 'microsoft'), 'provider_rejected')
  })

  it('of Microsoft is taken from any tenant whose issuer it names', async () => {
    const claims = { tid: OTHER_TENANT, iss: `${ENTRA}/${OTHER_TENANT}/v2.0` }
    for (const issuer of [undefined, `${ENTRA}/{tenantid}/v2.0`, claims.iss]) {
      provider.answers = { claims, key: { issuer } }
      expect((await comeBack(provider, 'microsoft')).status).toBe(302)
    }
  })

  it('of Microsoft under the key of another tenant is refused, though its signature is good', async () => {
    const issuer = `${ENTRA}/${OTHER_TENANT}/v2.0`
    provider.answers = { key: { issuer } }
    expectRefusal(await comeBack(provider, 'microsoft'), 'provider_rejected')
    // Without a name for its key, none of the keys may be another tenant's.
    const nameless = { token: (claims: object) => provider.sign(claims, { alg: 'RS256' }) }
    const otherKeys = [{ kty: 'EC', crv: 'P-256', x: 'A'.repeat(43), y: 'A'.repeat(43), kid: 'two', issuer }]
    provider.answers = { ...nameless, otherKeys }
    expectRefusal(await comeBack(provider, 'microsoft'), 'provider_rejected')
    provider.answers = nameless
    expect((await comeBack(provider, 'microsoft')).status).toBe(302)
  })

  it('of Microsoft is taken from the tenant of personal accounts alone where they are what is meant', async () => {
    const personal = '9188040d-6c67-4c5b-b112-36a304b66dad'
    const issuer = `${ENTRA}/${personal}/v2.0`
    const by = proberWith({ ...SETTINGS, MICROSOFT_ISSUER: `${ENTRA}/consumers/v2.0` })
    const statusOf = async (tid: string, key: object) => {
      provider.answers = { metadata: { issuer }, key: { ...key } }
      const { state, cookie } = await redirected(provider, 'microsoft', by)
      provider.answers = { ...provider.answers, claims: { tid, iss: `${ENTRA}/${tid}/v2.0` } }
      return (await callback('microsoft', { code: 'code', state }, cookie, by)).status
    }
    expect(await statusOf(personal, { issuer })).toBe(302)
    expect(await statusOf(personal, { issuer: `${ENTRA}/{tenantid}/v2.0` })).toBe(302)
    expect(await statusOf(personal, { issuer: `${ENTRA}/${TENANT}/v2.0` })).toBe(401)
    expect(await statusOf(TENANT, { issuer })).toBe(401)
  })

  it('of Microsoft is held against the keys of an earlier one: they are read once', async () => {
    const by = isolateWith(SETTINGS)
    for (const tenant of [TENANT, OTHER_TENANT]) {
      const { state, cookie } = await redirected(provider, 'microsoft', by)
      provider.answers = { claims: { tid: tenant, iss: `${ENTRA}/${tenant}/v2.0` } }
      expect((await callback('microsoft', { code: 'code', state }, cookie, by)).status).toBe(302)
    }
    expect(provider.requests.filter(({ url }) => url.endsWith('/keys'))).toHaveLength(1)
  })
})

/** A Worker that has read no metadata yet. */
const fresh = () => proberWith({ ...SETTINGS })

describe('a provider that is not there', () => {
  const down: [string, () => Promise<Response>][] = [
    ['does not answer', () => Promise.reject(new TypeError('canary: no route'))],
    ['answers 500', async () => new Response('canary', { status: 500 })],
    ['answers nonsense', async () => new Response('<html>canary', { headers: { 'content-type': 'text/html' } })],
    ['answers a redirect', async () => new Response(null, { status: 302, headers: { location: 'https://evil.test' } })],
  ]

  it.each(down)('is 503 where its metadata %s', async (_, answer) => {
    provider.answers = { instead: (path) => (path.includes('.well-known') ? answer() : undefined) }
    for (const name of ['google', 'microsoft'] as const) {
      const refused = await start(name, {}, fresh())
      expectRefusal(refused, 'dependency_unavailable')
      expect(JSON.stringify(refused.body)).not.toContain('canary')
    }
  })

  it.each(down)('is 503 where its tokens or keys %s', async (_, answer) => {
    for (const endpoint of ['/token', '/keys']) {
      const by = fresh()
      const { state, cookie } = await redirected(provider, 'google', by)
      provider.answers = { instead: (path) => (path === endpoint ? answer() : undefined) }
      expectRefusal(await callback('google', { code: 'code', state }, cookie, by), 'dependency_unavailable')
      provider.answers = {}
      expectRefusal(await callback('google', { code: 'code', state }, cookie, by), 'code_unusable')
    }
  })

  it('is 503 with metadata of another issuer', async () => {
    provider.answers = { metadata: { issuer: 'https://evil.test' } }
    for (const name of ['google', 'microsoft'] as const) {
      expectRefusal(await start(name, {}, fresh()), 'dependency_unavailable')
    }
  })

  it('is asked for its metadata once an hour', async () => {
    const by = isolateWith(SETTINGS)
    await start('google', {}, by)
    await start('google', {}, by)
    expect(provider.requests).toHaveLength(1)
  })
})

describe('a start', () => {
  it('begins a ceremony of its own each time', async () => {
    const both = await Promise.all([start('google'), start('google')])
    const [one, other] = both.map(({ headers }) => new URL(headers.get('location') ?? '').searchParams)
    for (const name of ['state', 'nonce', 'code_challenge']) expect(one?.get(name)).not.toBe(other?.get(name))
  })

  it.each(['', 'short', 'A'.repeat(44), `${'A'.repeat(42)}+`])(
    'needs a challenge of 32 bytes: %j',
    async (challenge) => {
      expectRefusal(await start('google', { challenge }, prober), 'invalid_request')
    },
  )
})

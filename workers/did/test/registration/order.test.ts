import { ALLOWED_ORIGIN, expectRefusal, FOREIGN_ORIGIN, forgedAssertion, Prober } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { service } from '../../src/app.ts'
import { BASE, caller, send } from '../harness.ts'

const prober = new Prober({ service, send, base: BASE })

function register(headers: Record<string, string>, body = '{') {
  return prober.send({ method: 'POST', path: '/1.0/register', headers, body })
}

/** Everything is wrong from the named check on: nonce, times, signature, body. */
const WRONG = { nonce: '!', issuedAt: 1, expiresAt: 2 }

describe('the order of checks on registration', () => {
  it('looks at the Origin first', async () => {
    for (const origin of [undefined, 'null', FOREIGN_ORIGIN]) {
      const headers = { authorization: forgedAssertion('console', WRONG), ...(origin === undefined ? {} : { origin }) }
      const { status, body } = await register(headers)
      expect(status).toBe(403)
      expect(body).toMatchObject({ error: 'cors_denied', status: 403 })
    }
  })

  it('then at the credential', async () => {
    expectRefusal(await register({ origin: ALLOWED_ORIGIN }), 'unauthorized')
    expectRefusal(await register({ origin: ALLOWED_ORIGIN, authorization: 'Bearer x' }), 'unauthorized')
  })

  it('then at the audience', async () => {
    for (const audience of ['console', 'chain', 'Identity', undefined]) {
      const authorization = forgedAssertion(audience, WRONG)
      expectRefusal(await register({ origin: ALLOWED_ORIGIN, authorization }), 'invalid_audience')
    }
  })

  it('then at the nonce', async () => {
    const authorization = forgedAssertion('identity', WRONG)
    expectRefusal(await register({ origin: ALLOWED_ORIGIN, authorization }), 'invalid_nonce')
  })

  it('then at the times', async () => {
    const authorization = forgedAssertion('identity', { ...WRONG, nonce: 'n'.repeat(16) })
    expectRefusal(await register({ origin: ALLOWED_ORIGIN, authorization }), 'assertion_expired')
  })

  it('then at the signature', async () => {
    const authorization = forgedAssertion('identity')
    expectRefusal(await register({ origin: ALLOWED_ORIGIN, authorization }), 'unauthorized')
  })

  it('then at the identity behind the key, and writes nothing for a stranger', async () => {
    const stranger = await caller({ genesis: false })
    const headers = { origin: ALLOWED_ORIGIN, authorization: await stranger.assertion('identity') }
    expectRefusal(await register(headers, JSON.stringify({ did: stranger.identity.did })), 'unauthorized')
    const path = `/1.0/identifiers/${stranger.identity.did}`
    expect((await prober.send({ method: 'GET', path })).status).toBe(404)
  })

  it('and last at the body, when the assertion is spent', async () => {
    const headers = { origin: ALLOWED_ORIGIN, authorization: await (await caller()).assertion('identity') }
    expectRefusal(await register(headers), 'invalid_request')
    expectRefusal(await register(headers), 'assertion_replay')
  })
})

describe('the nonce of registration', () => {
  it.each([16, 64])('may have %i characters', async (length) => {
    const by = await caller()
    const authorization = await by.assertion('identity', { nonce: 'Az09._~-'.repeat(8).slice(0, length) })
    const { status } = await register(
      { origin: ALLOWED_ORIGIN, authorization },
      JSON.stringify({ did: by.identity.did }),
    )
    expect(status).toBe(200)
  })

  it.each([
    ['15 characters', 'n'.repeat(15)],
    ['65 characters', 'n'.repeat(65)],
    ['a space', `${'n'.repeat(15)} `],
    ['a plus sign', `${'n'.repeat(15)}+`],
    ['a slash', `${'n'.repeat(15)}/`],
    ['a line feed', `${'n'.repeat(16)}\n`],
    ['an umlaut', `${'n'.repeat(15)}ü`],
    ['nothing', ''],
    ['a number', 1234567890123456],
    ['null', null],
  ])('may not have %s', async (_, nonce) => {
    const authorization = await (await caller()).assertion('identity', { nonce })
    expectRefusal(await register({ origin: ALLOWED_ORIGIN, authorization }), 'invalid_nonce')
  })
})

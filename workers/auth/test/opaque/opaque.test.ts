import { env } from 'cloudflare:workers'
import { ristretto255 } from '@noble/curves/ed25519.js'
import { bytesOf, encodeBase64url } from '@svc/protocol/base/base64url'
import { expectRefusal } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { dataOf, freshGrant, grantOf, post, prober, rowsOf, SESSION } from '../harness.ts'
import { Mailbox } from './mailbox.fixture.ts'
import { beginLogin, finishLogin, Login, logIn, register, signedIn } from './opaque-client.fixture.ts'

describe('a password', () => {
  it('is registered and signs in', async () => {
    const before = Date.now()
    expect(dataOf(await register('ada', 'correct horse'))).toEqual({ received: true })
    const session = dataOf<{ token: string; expiresAt: number; accountId: string }>(await logIn('ada', 'correct horse'))
    expect(session).toMatchObject({
      token: expect.stringMatching(/^signin_[A-Za-z0-9_-]{43}$/),
      accountId: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/),
      method: 'password',
    })
    expect(session.expiresAt).toBeGreaterThanOrEqual(before + 900_000)
  })

  it('signs in under every spelling of its identifier', async () => {
    const [box, grant] = [new Mailbox(), await freshGrant()]
    await register('Grace.Hopper@Example.ORG', 'secret', { grant, by: box.prober })
    dataOf(await post('opaque/register/confirm', { grant, code: box.code }))
    for (const spelling of ['grace.hopper@example.org', ' GRACE.HOPPER@example.org ', 'ｇrace.hopper@example.org']) {
      expect((await logIn(spelling, 'secret')).status, spelling).toBe(200)
    }
  })

  it('is refused alike when it is wrong, when nobody has the identifier, and when the message is noise', async () => {
    await register('wrong-one', 'right')
    const noise = encodeBase64url(crypto.getRandomValues(new Uint8Array(64)))
    const answers = [
      await logIn('wrong-one', 'wrong'),
      await logIn('nobody-has-this', 'right'),
      await finishLogin({ ...(await beginLogin('wrong-one', 'right')), finishLoginRequest: noise }),
      await finishLogin({ ceremonyId: encodeBase64url(new Uint8Array(32)), finishLoginRequest: noise }),
    ]
    for (const answer of answers) {
      expectRefusal(answer, 'sign_in_rejected')
      expect({ ...(answer.body as object), timestamp: 0 }).toEqual({
        success: false,
        error: 'sign_in_rejected',
        message: 'The sign-in was not accepted',
        timestamp: 0,
      })
    }
  })

  it('has one attempt for one login, whatever comes of it', async () => {
    await register('one-attempt', 'right')
    const begun = await beginLogin('one-attempt', 'right')
    expectRefusal(await finishLogin({ ...begun, finishLoginRequest: 'A'.repeat(86) }), 'sign_in_rejected')
    expectRefusal(await finishLogin(begun), 'sign_in_rejected')
    const again = await beginLogin('one-attempt', 'right')
    expect((await finishLogin(again)).status).toBe(200)
    expectRefusal(await finishLogin(again), 'sign_in_rejected')
  })

  it('is kept by a hash of its identifier alone', async () => {
    const [box, grant] = [new Mailbox(), await freshGrant()]
    await register('clear@example.org', 'not in the database', { grant, by: box.prober })
    dataOf(await post('opaque/register/confirm', { grant, code: box.code }))
    const tables = ['accounts', 'opaque_records', 'sessions', 'subjects', 'passkeys']
    const rows = await Promise.all(tables.map((table) => env.DB.prepare(`SELECT * FROM ${table}`).all()))
    const text = JSON.stringify(rows.map(({ results }) => results))
    expect(text).not.toContain('clear@example.org')
    const { results } = await env.DB.prepare('SELECT identifier_hash, length(record) AS n FROM opaque_records').all()
    expect(results.every((row) => /^[0-9a-f]{64}$/.test(String(row['identifier_hash'])) && row['n'] === 192)).toBe(true)
  })

  it('can be changed by a session, which ends with it', async () => {
    const person = await signedIn()
    const grant = await grantOf(person.token)
    expect(dataOf(await register(person.identifier, 'another', { grant }))).toEqual({ received: true })
    expectRefusal(await logIn(person.identifier, person.password), 'sign_in_rejected')
    const again = dataOf<{ accountId: string }>(await logIn(person.identifier, 'another'))
    expect(again.accountId).toBe(person.accountId)
    const headers = { [SESSION]: person.token }
    expectRefusal(await prober.send({ method: 'GET', path: '/api/auth/session', headers }), 'token_rejected')
  })

  it('can go to another identifier with its account, but to none that somebody has', async () => {
    const [one, other] = [await signedIn(), await signedIn()]
    const taken = await register(other.identifier, 'stolen', { grant: await grantOf(one.token) })
    expect(dataOf(taken)).toEqual({ received: true })
    expectRefusal(await logIn(other.identifier, 'stolen'), 'sign_in_rejected')
    expect((await logIn(other.identifier, other.password)).status).toBe(200)
    expect((await logIn(one.identifier, one.password)).status).toBe(200)

    await register(`${one.identifier}-moved`, 'moved', { grant: await grantOf(one.token) })
    expect(dataOf(await logIn(`${one.identifier}-moved`, 'moved'))).toMatchObject({ accountId: one.accountId })
    expectRefusal(await logIn(one.identifier, one.password), 'sign_in_rejected')
  })
})

describe('a registration', () => {
  const element = encodeBase64url(ristretto255.Point.BASE.toBytes())
  const record = encodeBase64url(new Uint8Array([...ristretto255.Point.BASE.toBytes(), ...new Uint8Array(160)]))

  it('of an identifier that somebody has is answered the same and changes nothing', async () => {
    await register('taken', 'first')
    const before = [await rowsOf('accounts'), await rowsOf('opaque_records')]
    const second = await register('taken', 'second')
    expect(dataOf(second)).toEqual({ received: true })
    expect([await rowsOf('accounts'), await rowsOf('opaque_records')]).toEqual(before)
    expectRefusal(await logIn('taken', 'second'), 'sign_in_rejected')
    expect((await logIn('taken', 'first')).status).toBe(200)
  })

  it('needs a grant that was not spent', async () => {
    const grant = await freshGrant()
    expect((await register('granted', 'x', { grant })).status).toBe(200)
    expectRefusal(await register('granted-twice', 'x', { grant }), 'code_unusable')
    const body = { grant, identifier: 'granted-twice', registrationRecord: record }
    expectRefusal(await post('opaque/register/finish', body), 'code_unusable')
    const made = encodeBase64url(new Uint8Array(32))
    expectRefusal(await register('granted-twice', 'x', { grant: made }), 'code_unusable')
    const { ceremonyId } = await beginLogin('granted-twice', 'x')
    expectRefusal(await register('granted-twice', 'x', { grant: ceremonyId }), 'invalid_request')
    expectRefusal(await logIn('granted-twice', 'x'), 'sign_in_rejected')
  })

  it('keeps its grant while only the first message was sent', async () => {
    const grant = await freshGrant()
    const body = { grant, identifier: 'twice-begun', registrationRequest: element }
    expect((await post('opaque/register/init', body)).status).toBe(200)
    expect((await post('opaque/register/init', body)).status).toBe(200)
    expect((await register('twice-begun', 'x', { grant })).status).toBe(200)
  })

  it.each([
    ['the identity', encodeBase64url(new Uint8Array(32))],
    ['no element', encodeBase64url(new Uint8Array(32).fill(0xff))],
    ['too short', 'AAAA'],
    ['not base64url', `${'A'.repeat(42)}+`],
  ])('refuses a blinded password that is %s, and spends nothing', async (_, registrationRequest) => {
    const grant = await freshGrant()
    expectRefusal(
      await post('opaque/register/init', { grant, identifier: 'x', registrationRequest }),
      'invalid_request',
    )
    const broken = encodeBase64url(new Uint8Array(192).fill(0xff))
    const finish = { grant, identifier: 'x', registrationRecord: broken }
    expectRefusal(await post('opaque/register/finish', finish), 'invalid_request')
    const body = { grant, identifier: 'still-good', registrationRequest: element }
    expect((await post('opaque/register/init', body)).status).toBe(200)
  })

  it.each([
    '',
    ' ',
    'a b',
    'ä',
    '.x',
    'x.',
    'x@',
    '@example.org',
    'a@b',
    'a@b@c.org',
    'a\u0000b@c.org',
    'a\u200db@c.org',
    'a\u202eb@c.org',
    'a\ud800b@c.org',
    'x'.repeat(65),
    `${'x'.repeat(250)}@b.org`,
  ])('refuses the identifier %j', async (identifier) => {
    const body = { grant: await freshGrant(), identifier, registrationRequest: element }
    expectRefusal(await post('opaque/register/init', body), 'invalid_request')
  })
})

describe('a login of somebody whom nobody knows', () => {
  it('looks like any other: the same members, lengths and headers', async () => {
    await register('known', 'x')
    const startLoginRequest = encodeBase64url(new Login('x').ke1)
    const answers = await Promise.all(
      ['known', 'unknown'].map((identifier) => post('opaque/login/init', { identifier, startLoginRequest })),
    )
    const [known, unknown] = answers.map((answer) => ({
      lengths: Object.entries(dataOf(answer)).map(([name, value]) => [name, String(value).length]),
      headers: [...answer.headers.keys()],
    }))
    expect(unknown).toEqual(known)
  })

  it('is evaluated under one key however often it is asked, and another for another identifier', async () => {
    const startLoginRequest = encodeBase64url(new Login('x').ke1)
    const evaluated = async (identifier: string) => {
      const { loginResponse } = dataOf<{ loginResponse: string }>(
        await post('opaque/login/init', { identifier, startLoginRequest }),
      )
      return encodeBase64url(bytesOf(loginResponse).slice(0, 32))
    }
    expect(await evaluated('stranger')).toBe(await evaluated('stranger'))
    expect(await evaluated('stranger')).not.toBe(await evaluated('strange'))
    // Registering changes nothing of it, so that somebody who asks before and after learns nothing.
    const before = await evaluated('will-come')
    await register('will-come', 'x')
    expect(await evaluated('will-come')).toBe(before)
  })

  it('refuses an invalid first message', async () => {
    const ke1 = new Login('x').ke1
    for (const broken of [new Uint8Array(96), new Uint8Array([...new Uint8Array(32), ...ke1.slice(32)])]) {
      const body = { identifier: 'x', startLoginRequest: encodeBase64url(broken) }
      expectRefusal(await post('opaque/login/init', body), 'invalid_request')
    }
  })
})

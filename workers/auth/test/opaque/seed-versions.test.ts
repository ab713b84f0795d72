import { env } from 'cloudflare:workers'
import { ristretto255_oprf } from '@noble/curves/ed25519.js'
import { bytesOf, encodeBase64url } from '@svc/protocol/base/base64url'
import { type Exchange, expectRefusal, type Prober } from '@svc/service/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { dataOf, grantOf, isolateWith, post, prober, SESSION } from '../harness.ts'
import { Authenticator, registerBy, requestOptions } from '../passkeys/authenticator.fixture.ts'
import { beginLogin, finishLogin, Login, recordOf, register } from './opaque-client.fixture.ts'

const SECOND = { OPAQUE_SERVER_SEED_2: '2e'.repeat(32) }
const rolled = isolateWith(SECOND)
const dropped = isolateWith({ ...SECOND, OPAQUE_SERVER_SEED: '' })

const grantBy = async (by: Prober) => {
  const answer = await post('turnstile/verify', { token: 'XXXX.DUMMY.TOKEN.XXXX', action: 'register' }, {}, by)
  return dataOf<{ grant: string }>(answer).grant
}
const logInBy = async (by: Prober, identifier: string, password: string) =>
  finishLogin(await beginLogin(identifier, password, by), by)
const versionsOf = async (accountId: string) => {
  const rows = env.DB.prepare('SELECT seed_version FROM opaque_records WHERE account_id = ?').bind(accountId)
  return (await rows.all<{ seed_version: number }>()).results.map((row) => row.seed_version)
}
const accountOf = (exchange: Exchange) => dataOf<{ accountId: string; token: string; knownDevice: string }>(exchange)

const { blind, blinded } = ristretto255_oprf.oprf.blind(new TextEncoder().encode('the same'))
const begun = async (by: Prober, identifier: string, grant: string) => {
  const body = { grant, identifier, registrationRequest: encodeBase64url(blinded) }
  return dataOf<{ registrationResponse: string }>(await post('opaque/register/init', body, {}, by)).registrationResponse
}
const finished = (by: Prober, identifier: string, grant: string, response: string) => {
  const registrationRecord = encodeBase64url(recordOf('the same', blind, bytesOf(response)))
  return post('opaque/register/finish', { grant, identifier, registrationRecord }, {}, by)
}

describe('after a second version of the seed', () => {
  it('passwords work as before, new ones are under the newest, and one that is set again moves', async () => {
    dataOf(await register('before', 'one'))
    dataOf(await register('after', 'two', { by: rolled, grant: await grantBy(rolled) }))
    const before = accountOf(await logInBy(rolled, 'before', 'one'))
    const after = accountOf(await logInBy(rolled, 'after', 'two'))
    expect([await versionsOf(before.accountId), await versionsOf(after.accountId)]).toEqual([[1], [2]])
    expectRefusal(await logInBy(rolled, 'before', 'two'), 'sign_in_rejected')
    expectRefusal(await logInBy(dropped, 'before', 'one'), 'sign_in_rejected')

    const grant = dataOf<{ grant: string }>(
      await rolled.send({ method: 'POST', path: '/api/auth/session/grant', headers: { [SESSION]: before.token } }),
    ).grant
    dataOf(await register('before', 'one', { grant, by: rolled }))
    expect(await versionsOf(before.accountId)).toEqual([2])
    expect(accountOf(await logInBy(dropped, 'before', 'one')).accountId).toBe(before.accountId)
    expectRefusal(await logInBy(prober, 'before', 'one'), 'sign_in_rejected')
  })

  it('a registration that was answered before is stored with the version that answered it', async () => {
    const grant = await grantBy(prober)
    const response = await begun(prober, 'between', grant)
    expect(await begun(rolled, 'between', grant)).toBe(response)
    dataOf(await finished(rolled, 'between', grant, response))
    const { accountId } = accountOf(await logInBy(rolled, 'between', 'the same'))
    expect(await versionsOf(accountId)).toEqual([1])
  })

  it('a registration whose version is gone is refused, and can be begun again', async () => {
    const grant = await grantBy(prober)
    const response = await begun(prober, 'too-late', grant)
    expectRefusal(await finished(dropped, 'too-late', grant, response), 'code_unusable')
    dataOf(await register('too-late', 'x', { by: rolled, grant: await grantBy(rolled) }))
  })

  it('logins, grants and passkey prompts that began before go on', async () => {
    dataOf(await register('halfway', 'x'))
    const login = await beginLogin('halfway', 'x')
    const session = accountOf(await finishLogin(login, rolled))
    expectRefusal(await finishLogin(login, rolled), 'sign_in_rejected')
    dataOf(await register('halfway', 'y', { grant: await grantOf(session.token), by: rolled }))
    expect(await versionsOf(session.accountId)).toEqual([1])
    const authenticator = await Authenticator.create()
    await registerBy(authenticator)
    const request = await requestOptions()
    const response = await authenticator.get(request)
    dataOf(await post('passkey/authenticate', { step: 'verify', ceremonyId: request.ceremonyId, response }, {}, rolled))
  })

  it('a device that was known before stays known', async () => {
    dataOf(await register('same-device', 'x'))
    const { knownDevice } = accountOf(await logInBy(prober, 'same-device', 'x'))
    const again = await beginLogin('same-device', 'x', rolled, { knownDevice })
    expect(accountOf(await finishLogin(again, rolled)).knownDevice).toBe(knownDevice)
  })
})

describe('an identifier', () => {
  it('under an earlier version is taken', async () => {
    dataOf(await register('taken-before', 'mine'))
    const { accountId } = accountOf(await logInBy(rolled, 'taken-before', 'mine'))
    dataOf(await register('taken-before', 'theirs', { by: rolled, grant: await grantBy(rolled) }))
    expectRefusal(await logInBy(rolled, 'taken-before', 'theirs'), 'sign_in_rejected')
    dataOf(await register('other-before', 'x'))
    const other = accountOf(await logInBy(rolled, 'other-before', 'x'))
    dataOf(await register('taken-before', 'theirs', { by: rolled, grant: await grantOf(other.token) }))
    expect(accountOf(await logInBy(rolled, 'taken-before', 'mine')).accountId).toBe(accountId)
    expect(accountOf(await logInBy(rolled, 'other-before', 'x')).accountId).toBe(other.accountId)
  })

  it('that is registered at the same moment under both versions belongs to one account', async () => {
    for (let round = 0; round < 5; round += 1) {
      const identifier = `raced-${round}`
      const grants = await Promise.all([grantBy(prober), grantBy(rolled)])
      const responses = await Promise.all(grants.map((grant) => begun(rolled, identifier, grant)))
      expect(responses[0]).not.toBe(responses[1])
      const both = grants.map((grant, i) => finished(rolled, identifier, grant, responses[i] ?? ''))
      for (const answer of await Promise.all(both)) dataOf(answer)
      const { accountId } = accountOf(await logInBy(rolled, identifier, 'the same'))
      expect(await versionsOf(accountId)).toHaveLength(1)
    }
  })
})

describe('to a stranger', () => {
  const evaluated = new Login('x').ke1
  const answerOf = async (identifier: string) => {
    const body = { identifier, startLoginRequest: encodeBase64url(evaluated) }
    const answer = dataOf<{ ceremonyId: string; loginResponse: string }>(
      await post('opaque/login/init', body, {}, rolled),
    )
    return {
      sizes: [answer.ceremonyId.length, answer.loginResponse.length],
      evaluated: encodeBase64url(bytesOf(answer.loginResponse).subarray(0, 32)),
    }
  }

  beforeAll(async () => {
    for (const name of ['one', 'two', 'three', 'four'])
      dataOf(await register(`new-${name}`, 'x', { by: rolled, grant: await grantBy(rolled) }))
  })

  it('answers have one size, and repeat, with and without an account under either version', async () => {
    dataOf(await register('seen-old', 'x'))
    dataOf(await register('seen-new', 'x', { by: rolled, grant: await grantBy(rolled) }))
    const sizes = new Set<string>()
    for (const identifier of ['seen-old', 'seen-new', ...Array.from({ length: 12 }, (_, i) => `nobody-${i}`)]) {
      const [first, second] = [await answerOf(identifier), await answerOf(identifier)]
      expect(second.evaluated).toBe(first.evaluated)
      sizes.add(JSON.stringify(first.sizes))
    }
    expect(sizes.size).toBe(1)
  })

  it('names without an account are answered under either version, as accounts are', async () => {
    const under = async (by: Prober, identifier: string) => {
      const body = { identifier, startLoginRequest: encodeBase64url(evaluated) }
      const answer = dataOf<{ loginResponse: string }>(await post('opaque/login/init', body, {}, by))
      return encodeBase64url(bytesOf(answer.loginResponse).subarray(0, 32))
    }
    const seen = new Map([
      ['old', 0],
      ['new', 0],
    ])
    for (let i = 0; i < 40; i += 1) {
      const name = `unknown-${i}`
      const [shown, old, newest] = await Promise.all([under(rolled, name), under(prober, name), under(dropped, name)])
      expect([old, newest]).toContain(shown)
      const which = shown === old ? 'old' : 'new'
      seen.set(which, (seen.get(which) ?? 0) + 1)
    }
    expect(Math.min(...seen.values())).toBeGreaterThan(0)
  })
})

import { env } from 'cloudflare:workers'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { type Exchange, expectRefusal, type Prober } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { dataOf, freshGrant, grantOf, post, prober, proberWith, rowsOf, SESSION } from './harness.ts'
import { beginLogin, finishLogin, Login, logIn, register, signedIn } from './opaque/opaque-client.fixture.ts'
import { Authenticator, registerBy, requestOptions } from './passkeys/authenticator.fixture.ts'

const down = () => Promise.reject(new Error('D1_ERROR: canary'))
const failing = { first: down, all: down, run: down }
const noDatabase = proberWith({ DB: { prepare: () => ({ bind: () => failing }), batch: down } })
const unreachable = { begin: down, look: down, amend: down, take: down }
const noCeremonies = proberWith({ CEREMONIES: { getByName: () => unreachable } })
const noSeed = proberWith({ OPAQUE_SERVER_SEED: undefined })
const emptySeed = proberWith({ OPAQUE_SERVER_SEED: '' })

function expectDown(exchange: Exchange): void {
  expectRefusal(exchange, 'dependency_unavailable')
  expect(JSON.stringify(exchange.body)).not.toMatch(/D1|canary/)
}
const begin = (by: Prober, identifier = 'x') =>
  post('opaque/login/init', { identifier, startLoginRequest: encodeBase64url(new Login('x').ke1) }, {}, by)
const read = (by: Prober, token: string, path = 'session') =>
  by.send({ method: 'GET', path: `/api/auth/${path}`, headers: { [SESSION]: token } })

describe('without the database', () => {
  it('nobody is signed in, for one identifier as for another', async () => {
    const person = await signedIn()
    expectDown(await begin(noDatabase, person.identifier))
    expectDown(await begin(noDatabase, 'nobody'))
    expectDown(await finishLogin(await beginLogin(person.identifier, person.password), noDatabase))
    expectDown(await read(noDatabase, person.token))
    expectDown(await read(noDatabase, person.token, 'passkeys'))
    expect((await read(prober, person.token)).status).toBe(200)
    expect((await logIn(person.identifier, person.password)).status).toBe(200)
  })

  it('a registration leaves nothing half made, and can be begun again', async () => {
    const before = [await rowsOf('accounts'), await rowsOf('opaque_records')]
    const grant = await freshGrant()
    expectDown(await register('during-an-outage', 'x', { grant, by: noDatabase }))
    expect([await rowsOf('accounts'), await rowsOf('opaque_records')]).toEqual(before)
    expectRefusal(await register('during-an-outage', 'x', { grant }), 'code_unusable')
    expect(dataOf(await register('during-an-outage', 'x'))).toEqual({ received: true })
    expect((await logIn('during-an-outage', 'x')).status).toBe(200)
  })

  it('a passkey is neither registered nor taken', async () => {
    const authenticator = await Authenticator.create()
    const begun = dataOf<{ ceremonyId: string; options: { challenge: string; user: { id: string } } }>(
      await post('passkey/register', { step: 'options', grant: await freshGrant(), name: 'x' }),
    )
    const response = await authenticator.create(begun)
    const verify = { step: 'verify', ceremonyId: begun.ceremonyId, response }
    expectDown(await post('passkey/register', verify, {}, noDatabase))
    dataOf(await registerBy(authenticator))
    const request = await requestOptions()
    const signed = { step: 'verify', ceremonyId: request.ceremonyId, response: await authenticator.get(request) }
    expectDown(await post('passkey/authenticate', signed, {}, noDatabase))
  })

  it('half way through a batch nothing of an account stays', async () => {
    const batch = (statements: D1PreparedStatement[]) =>
      env.DB.batch([...statements, env.DB.prepare('INSERT INTO no_such_table VALUES (1)')])
    const broken = proberWith({ DB: { prepare: (sql: string) => env.DB.prepare(sql), batch } })
    const before = [await rowsOf('accounts'), await rowsOf('opaque_records')]
    expectDown(await register('half-made', 'x', { by: broken }))
    expect([await rowsOf('accounts'), await rowsOf('opaque_records')]).toEqual(before)
  })
})

describe('without ceremonies', () => {
  it('nothing is ended, and nothing is begun that would be stored', async () => {
    const person = await signedIn()
    const grant = await grantOf(person.token)
    expect((await begin(noCeremonies, person.identifier)).status).toBe(200)
    expectDown(await finishLogin(await beginLogin(person.identifier, person.password), noCeremonies))
    expectDown(await register('x', 'x', { grant, by: noCeremonies }))
    expect((await post('passkey/authenticate', { step: 'options' }, {}, noCeremonies)).status).toBe(200)
    expectDown(await post('turnstile/verify', { token: 'XXXX.DUMMY.TOKEN.XXXX', action: 'register' }, {}, noCeremonies))
  })
})

describe('without the seed', () => {
  it.each([
    ['absent', noSeed],
    ['empty', emptySeed],
  ])('that is %s nothing is begun, and /health answers', async (_, by) => {
    expectDown(await begin(by))
    expectDown(await register('x', 'x', { grant: await freshGrant(), by }))
    expectDown(await post('passkey/authenticate', { step: 'options' }, {}, by))
    expectDown(await post('onboard/ticket/verify', { ticket: 'A'.repeat(43), verifier: 'A'.repeat(43) }, {}, by))
    expect((await by.send({ method: 'GET', path: '/health' })).status).toBe(200)
  })

  it('of before, ids and passwords are worth nothing', async () => {
    const person = await signedIn()
    const begun = await beginLogin(person.identifier, person.password)
    const other = proberWith({ OPAQUE_SERVER_SEED: '0d'.repeat(32) })
    expectRefusal(await finishLogin(begun, other), 'sign_in_rejected')
    expectRefusal(
      await finishLogin(await beginLogin(person.identifier, person.password, other), other),
      'sign_in_rejected',
    )
  })
})

it.each(['local', 'production'])(
  'there is no page on this host, also where the environment is %s',
  async (ENVIRONMENT) => {
    const by = proberWith({ ENVIRONMENT })
    for (const path of ['/', '/sign-in', '/sign-in.js', '/sign-in.css'])
      expectRefusal(await by.send({ method: 'GET', path }), 'Not found')
  },
)

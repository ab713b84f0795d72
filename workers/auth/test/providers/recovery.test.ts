import { env } from 'cloudflare:workers'
import { expectRefusal } from '@svc/service/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { dataOf, grantOf, post, proberWith, SESSION, prober as worker } from '../harness.ts'
import { logIn, register, type Session } from '../opaque/opaque-client.fixture.ts'
import {
  Authenticator,
  creationOptions,
  registerBy,
  signInBy,
  verifyCreation,
} from '../passkeys/authenticator.fixture.ts'
import { comeBack, prober, TestProvider, ticketOf, verifier } from './provider.fixture.ts'

interface Onboarding {
  readonly hasAccount: boolean
  readonly grant: string
  readonly expiresAt: number
}

let provider: TestProvider
let people = 0
beforeEach(async () => {
  provider = await TestProvider.stand()
  people += 1
  provider.answers = { claims: { sub: `recovering-${people}` } }
})

const identify = async () => {
  const ticket = ticketOf(await comeBack(provider, 'google'))
  return dataOf<Onboarding>(await post('onboard/ticket/verify', { ticket, verifier }, {}, prober))
}
const ask = (method: string, path: string, token: string) =>
  worker.send({ method, path: `/api/auth/${path}`, headers: { [SESSION]: token } })

/** Somebody from a provider with a password, a passkey, and a session of each. */
async function person() {
  const name = `recovers-${people}`
  dataOf(await register(name, 'lost', { grant: (await identify()).grant }))
  const session = dataOf<Session>(await logIn(name, 'lost'))
  const authenticator = await Authenticator.create()
  dataOf(await registerBy(authenticator, await grantOf(session.token)))
  const other = dataOf<{ session: Session }>(await signInBy(authenticator)).session
  return { name, authenticator, tokens: [session.token, other.token], accountId: session.accountId }
}

describe('a person who proves the provider account again', () => {
  it('gets a grant of ten minutes for the account that exists', async () => {
    await person()
    const before = Date.now()
    const { hasAccount, expiresAt } = await identify()
    expect(hasAccount).toBe(true)
    expect(expiresAt - before).toBeGreaterThanOrEqual(600_000 - 5_000)
    expect(expiresAt - before).toBeLessThanOrEqual(600_000 + 5_000)
  })

  it.each(['the same name', 'another name'])(
    'sets a new password under %s, which ends everything before',
    async (which) => {
      const { name, authenticator, tokens, accountId } = await person()
      const waiting = await grantOf(tokens[0] ?? '')
      const identifier = which === 'another name' ? `${name}-anew` : name
      const { grant } = await identify()
      expect(dataOf(await register(identifier, 'found', { grant }))).toEqual({ received: true })
      expectRefusal(await logIn(name, 'lost'), 'sign_in_rejected')
      expect(dataOf<Session>(await logIn(identifier, 'found')).accountId).toBe(accountId)
      for (const token of tokens) expectRefusal(await ask('GET', 'session', token), 'token_rejected')
      expectRefusal(await register(identifier, 'by a thief', { grant: waiting }), 'code_unusable')
      expectRefusal(await register(identifier, 'again', { grant }), 'code_unusable')
      // The passkey stays: its holder can have it removed.
      expect((await signInBy(authenticator)).status).toBe(200)
    },
  )

  it('adds a passkey, which ends all sessions and starts one', async () => {
    const { name, tokens, accountId } = await person()
    const { grant } = await identify()
    const authenticator = await Authenticator.create()
    const { session } = dataOf<{ session: Session }>(await registerBy(authenticator, grant))
    expect(session.accountId).toBe(accountId)
    expect(authenticator.userHandle).toBe(accountId)
    for (const token of tokens) expectRefusal(await ask('GET', 'session', token), 'token_rejected')
    expect(dataOf<{ passkeys: unknown[] }>(await ask('GET', 'passkeys', session.token)).passkeys).toHaveLength(2)
    const devices = env.DB.prepare('SELECT count(*) AS n FROM known_devices WHERE account_id = ?').bind(accountId)
    expect(await devices.first('n')).toBe(0)
    // The password stays: it is replaced with the session.
    expect((await logIn(name, 'lost')).status).toBe(200)
    expect((await signInBy(authenticator)).status).toBe(200)
  })

  it('cannot take the name of another account', async () => {
    const { name, tokens } = await person()
    dataOf(await register(`held-${people}`, 'held'))
    const { grant } = await identify()
    expect(dataOf(await register(`held-${people}`, 'mine now', { grant }))).toEqual({ received: true })
    expectRefusal(await logIn(`held-${people}`, 'mine now'), 'sign_in_rejected')
    expect((await logIn(`held-${people}`, 'held')).status).toBe(200)
    expect((await logIn(name, 'lost')).status).toBe(200)
    expect((await ask('GET', 'session', tokens[0] ?? '')).status).toBe(200)
  })

  it('is too late once the account is deleted, and makes a new one then', async () => {
    const { tokens } = await person()
    const { grant } = await identify()
    const prompted = (await identify()).grant
    const begun = await creationOptions(prompted)
    dataOf(await ask('DELETE', 'account', tokens[0] ?? ''))
    expectRefusal(await register(`late-${people}`, 'x', { grant }), 'code_unusable')
    expectRefusal(await verifyCreation(begun, await (await Authenticator.create()).create(begun)), 'code_unusable')
    expectRefusal(await logIn(`late-${people}`, 'x'), 'sign_in_rejected')
    expect((await identify()).hasAccount).toBe(false)
  })
})

describe('grants for recovery', () => {
  const times = <T>(run: (i: number) => Promise<T>) => Promise.all(Array.from({ length: 20 }, (_, i) => run(i)))
  const oneWins = [200, ...Array<number>(19).fill(404)]

  it('are used once, of twenty at once', async () => {
    const { name } = await person()
    const { grant } = await identify()
    const answers = await times((i) => register(name, `found ${i}`, { grant }))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual(oneWins)
    const winner = answers.findIndex(({ status }) => status === 200)
    expect((await logIn(name, `found ${winner}`)).status).toBe(200)
  })

  it('end with the first of them that is used, whichever it is for', async () => {
    const { name } = await person()
    const grants: string[] = []
    for (let i = 0; i < 4; i += 1) grants.push((await identify()).grant)
    const begun = await creationOptions(grants[3] ?? '')
    const authenticator = await Authenticator.create()
    const response = await authenticator.create(begun)
    const answers = await Promise.all([
      ...grants.slice(0, 3).map((grant, i) => register(name, `found ${i}`, { grant })),
      verifyCreation(begun, response),
    ])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404, 404, 404])
    expect((await identify()).hasAccount).toBe(true)
  })

  it('leave nothing half changed if the database fails half way', async () => {
    const { name, tokens, authenticator } = await person()
    const batch = (statements: D1PreparedStatement[]) =>
      env.DB.batch([...statements, env.DB.prepare('INSERT INTO no_such_table VALUES (1)')])
    const broken = proberWith({ DB: { prepare: (sql: string) => env.DB.prepare(sql), batch } })
    const { grant } = await identify()
    expectRefusal(await register(name, 'found', { grant, by: broken }), 'dependency_unavailable')
    expect((await logIn(name, 'lost')).status).toBe(200)
    expect((await ask('GET', 'session', tokens[0] ?? '')).status).toBe(200)
    expect((await signInBy(authenticator)).status).toBe(200)
    dataOf(await register(name, 'found', { grant: (await identify()).grant }))
    expect((await logIn(name, 'found')).status).toBe(200)
  })
})

describe('a person with one factor left', () => {
  it('who lost the password sets another with the passkey', async () => {
    const { name, authenticator } = await person()
    const { token } = dataOf<{ session: Session }>(await signInBy(authenticator)).session
    dataOf(await register(name, 'another', { grant: await grantOf(token) }))
    expectRefusal(await logIn(name, 'lost'), 'sign_in_rejected')
    expect((await logIn(name, 'another')).status).toBe(200)
  })

  it('who lost the passkey adds another with the password, and removes the lost one', async () => {
    const { name, authenticator } = await person()
    const { token } = dataOf<Session>(await logIn(name, 'lost'))
    const next = await Authenticator.create()
    dataOf(await registerBy(next, await grantOf(token)))
    dataOf(await ask('DELETE', `passkeys/${authenticator.id}`, token))
    expectRefusal(await signInBy(authenticator), 'sign_in_rejected')
    expect((await signInBy(next)).status).toBe(200)
  })
})

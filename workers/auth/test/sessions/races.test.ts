import { env } from 'cloudflare:workers'
import type { Exchange } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { dataOf, freshGrant, prober, rowsOf, SESSION } from '../harness.ts'
import { beginLogin, finishLogin, logIn, register, signedIn } from '../opaque/opaque-client.fixture.ts'
import {
  Authenticator,
  creationOptions,
  registerBy,
  requestOptions,
  verifyCreation,
  verifyRequest,
} from '../passkeys/authenticator.fixture.ts'

const RACERS = 20
const times = <T>(run: (i: number) => Promise<T>) => Promise.all(Array.from({ length: RACERS }, (_, i) => run(i)))
const statuses = (answers: readonly Exchange[]) => answers.map(({ status }) => status).toSorted((a, b) => a - b)
const oneWins = (loser: number) => [200, ...Array<number>(RACERS - 1).fill(loser)]

describe('twenty at once', () => {
  it('finish one login: one is signed in', async () => {
    const person = await signedIn()
    const begun = await beginLogin(person.identifier, person.password)
    const before = await rowsOf('sessions')
    expect(statuses(await times(() => finishLogin(begun)))).toEqual(oneWins(401))
    expect(await rowsOf('sessions')).toBe(before + 1)
  })

  it('register with one grant: one account comes to be', async () => {
    const grant = await freshGrant()
    const before = await rowsOf('accounts')
    expect(statuses(await times((i) => register(`grant-racer-${i}`, 'x', { grant })))).toEqual(oneWins(404))
    expect(await rowsOf('accounts')).toBe(before + 1)
  })

  it('register one identifier with a grant each: all are answered alike, and one account comes to be', async () => {
    const before = await rowsOf('accounts')
    const answers = await times((i) => register('contended', `secret ${i}`))
    expect(new Set(statuses(answers))).toEqual(new Set([200]))
    expect(await rowsOf('accounts')).toBe(before + 1)
    const logins = await times((i) => logIn('contended', `secret ${i}`))
    expect(statuses(logins)).toEqual(oneWins(401))
  })

  it('finish one registration of a passkey: one account comes to be', async () => {
    const begun = await creationOptions(await freshGrant())
    const response = await (await Authenticator.create()).create(begun)
    const before = await rowsOf('accounts')
    expect(statuses(await times(() => verifyCreation(begun, response)))).toEqual(oneWins(404))
    expect(await rowsOf('accounts')).toBe(before + 1)
  })

  it('finish one sign-in by a passkey: one is signed in', async () => {
    const authenticator = await Authenticator.create(-7, 0)
    dataOf(await registerBy(authenticator))
    const begun = await requestOptions()
    const response = await authenticator.get(begun)
    expect(statuses(await times(() => verifyRequest(begun, response)))).toEqual(oneWins(401))
  })

  it('sign in by one passkey with one count: one counts', async () => {
    const authenticator = await Authenticator.create(-7, 5)
    dataOf(await registerBy(authenticator))
    const begun = await times(() => requestOptions())
    const responses = await Promise.all(begun.map((one) => authenticator.get(one, { counter: 9 })))
    const answers = await times((i) => verifyRequest(begun[i]!, responses[i]!))
    expect(statuses(answers)).toEqual(oneWins(401))
  })

  it('remove the passkeys of an account without password: one stays', async () => {
    const first = await Authenticator.create(-8)
    const { session } = dataOf<{ session: { token: string; accountId: string } }>(await registerBy(first))
    const others = Array.from({ length: RACERS - 1 }, (_, i) => `AA${String(i).padStart(2, '0')}`)
    const insert = env.DB.prepare(
      `INSERT INTO passkeys (credential_id, account_id, public_key, counter, transports, label, is_backed_up, created_at)
       VALUES (?, ?, x'00', 0, '[]', 'x', 0, 1)`,
    )
    await env.DB.batch(others.map((id) => insert.bind(id, session.accountId)))
    const ids = [first.id, ...others]
    const headers = { [SESSION]: session.token }
    const answers = await times((i) => prober.send({ method: 'DELETE', path: `/api/auth/passkeys/${ids[i]}`, headers }))
    expect(statuses(answers)).toEqual([...Array<number>(RACERS - 1).fill(200), 409])
  })

  it('sign in: eight sessions stay', async () => {
    const person = await signedIn()
    const answers = await times(() => logIn(person.identifier, person.password))
    const tokens = answers.map((answer) => dataOf<{ token: string }>(answer).token)
    const read = (token: string) =>
      prober.send({ method: 'GET', path: '/api/auth/session', headers: { [SESSION]: token } })
    const alive = (await Promise.all(tokens.map(read))).filter(({ status }) => status === 200)
    expect(alive).toHaveLength(8)
  })

  it('sign in by password: eight devices stay known', async () => {
    const before = await rowsOf('known_devices')
    const person = await signedIn()
    await times(() => logIn(person.identifier, person.password))
    expect((await rowsOf('known_devices')) - before).toBe(8)
  })
})

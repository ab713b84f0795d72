import { env } from 'cloudflare:workers'
import { expectRefusal } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { dataOf, grantOf, post, prober, SESSION } from '../harness.ts'
import { logIn, register, type Session, signedIn } from '../opaque/opaque-client.fixture.ts'
import { Authenticator, registerBy, signInBy } from '../passkeys/authenticator.fixture.ts'

const ask = (method: string, path: string, token: string) =>
  prober.send({ method, path: `/api/auth/${path}`, headers: { [SESSION]: token } })
const rowsOf = async (accountId: string) => {
  const tables = ['accounts', 'opaque_records', 'passkeys', 'subjects', 'known_devices', 'sessions']
  const counts = tables.map((table) =>
    env.DB.prepare(`SELECT count(*) AS n FROM ${table} WHERE account_id = ?`).bind(accountId).first<number>('n'),
  )
  return (await Promise.all(counts)).reduce<number>((sum, n) => sum + (n ?? 0), 0)
}

describe('an account that its owner deletes', () => {
  it('leaves no row, and nothing signs in to it', async () => {
    const person = await signedIn()
    const authenticator = await Authenticator.create()
    dataOf(await registerBy(authenticator, await grantOf(person.token)))
    const other = dataOf<Session>(await logIn(person.identifier, person.password))
    const { accountId } = dataOf<{ accountId: string }>(await ask('GET', 'session', person.token))
    await env.DB.prepare('INSERT INTO subjects (subject_hash, account_id) VALUES (?, ?)')
      .bind(accountId, accountId)
      .run()
    expect(await rowsOf(accountId)).toBeGreaterThanOrEqual(6)
    expect(dataOf(await ask('DELETE', 'account', person.token))).toEqual({ deleted: true })
    expect(await rowsOf(accountId)).toBe(0)
    for (const token of [person.token, other.token]) expectRefusal(await ask('GET', 'session', token), 'token_rejected')
    expectRefusal(await ask('DELETE', 'account', person.token), 'token_rejected')
    expectRefusal(await logIn(person.identifier, person.password), 'sign_in_rejected')
    expectRefusal(await signInBy(authenticator), 'sign_in_rejected')
  })

  it('takes along the grants that were given out, and leaves other accounts alone', async () => {
    const [person, bystander] = [await signedIn(), await signedIn()]
    const grants = [await grantOf(person.token), await grantOf(person.token)] as const
    dataOf(await ask('DELETE', 'account', person.token))
    expectRefusal(await register(person.identifier, 'again', { grant: grants[0] }), 'code_unusable')
    const asked = await post('passkey/register', { step: 'options', grant: grants[1], name: 'x' })
    expectRefusal(asked, 'code_unusable')
    expect((await ask('GET', 'session', bystander.token)).status).toBe(200)
    expect((await logIn(bystander.identifier, bystander.password)).status).toBe(200)
  })

  it('frees its identifier for a new account', async () => {
    const person = await signedIn()
    const { accountId } = dataOf<{ accountId: string }>(await ask('GET', 'session', person.token))
    dataOf(await ask('DELETE', 'account', person.token))
    expect((await register(person.identifier, 'another')).status).toBe(200)
    const session = dataOf<Session & { accountId: string }>(await logIn(person.identifier, 'another'))
    expect(session.accountId).not.toBe(accountId)
  })
})

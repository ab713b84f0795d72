import { env } from 'cloudflare:workers'
import { hashTextHex } from '@svc/protocol/base/hash'
import { expectRefusal } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { dataOf, freshGrant, grantOf, prober, SESSION } from '../harness.ts'
import { signedIn } from '../opaque/opaque-client.fixture.ts'
import { Authenticator, registerBy } from '../passkeys/authenticator.fixture.ts'

const ask = (method: string, path: string, token: string) =>
  prober.send({ method, path: `/api/auth/${path}`, headers: { [SESSION]: token } })

describe('a session', () => {
  it('says whose it is and what signs in', async () => {
    const person = await signedIn()
    expect(dataOf(await ask('GET', 'session', person.token))).toEqual({
      accountId: person.accountId,
      method: 'password',
      expiresAt: person.expiresAt,
      hasPassword: true,
      passkeys: 0,
    })
    dataOf(await registerBy(await Authenticator.create(), await grantOf(person.token)))
    expect(dataOf(await ask('GET', 'session', person.token))).toMatchObject({ passkeys: 1 })
  })

  it('ends by signing out, and not those of others', async () => {
    const [one, other] = [await signedIn(), await signedIn()]
    expect(dataOf(await ask('DELETE', 'session', one.token))).toEqual({ signedOut: true })
    for (const [method, path] of [
      ['GET', 'session'],
      ['DELETE', 'session'],
      ['POST', 'session/grant'],
      ['GET', 'passkeys'],
      ['DELETE', 'passkeys/AAAA'],
    ] as const) {
      expectRefusal(await ask(method, path, one.token), 'token_rejected')
    }
    expect((await ask('GET', 'session', other.token)).status).toBe(200)
  })

  it('ends by itself', async () => {
    const person = await signedIn()
    await env.DB.prepare('UPDATE sessions SET expires_at = ? WHERE account_id = ?')
      .bind(Date.now(), person.accountId)
      .run()
    expectRefusal(await ask('GET', 'session', person.token), 'token_rejected')
  })

  it('that is over goes when anybody signs in', async () => {
    const gone = await signedIn()
    const now = Date.now()
    const statement = env.DB.prepare('SELECT count(*) AS n FROM sessions WHERE account_id = ?').bind(gone.accountId)
    await env.DB.prepare('UPDATE sessions SET expires_at = ? WHERE account_id = ?').bind(now, gone.accountId).run()
    expect(await statement.first('n')).toBe(1)
    const other = await signedIn()
    expect(await statement.first('n')).toBe(0)
    expect((await ask('GET', 'session', other.token)).status).toBe(200)
  })

  it('is kept by the hash of its token alone', async () => {
    const person = await signedIn()
    const row = await env.DB.prepare('SELECT * FROM sessions WHERE account_id = ?').bind(person.accountId).first()
    expect(row).toMatchObject({ token_hash: hashTextHex(person.token), method: 'password' })
    expect(JSON.stringify(row)).not.toContain(person.token)
  })

  it.each([`signin_${'A'.repeat(43)}`, 'A'.repeat(43), `SIGNIN_${'A'.repeat(43)}`, 'A'.repeat(22)])(
    'is not %s, which nobody was given',
    async (token) => {
      expectRefusal(await ask('GET', 'session', token), 'token_rejected')
    },
  )

  it('cannot serve as a grant, nor a grant as a session', async () => {
    expectRefusal(await ask('GET', 'session', await freshGrant()), 'token_rejected')
  })

  it('gives grants for its own account alone, each once', async () => {
    const person = await signedIn()
    const [one, other] = [await grantOf(person.token), await grantOf(person.token)]
    expect(one).not.toBe(other)
    const authenticator = await Authenticator.create()
    expect(dataOf(await registerBy(authenticator, one))).toMatchObject({ session: null })
    expect(authenticator.userHandle).toBe(person.accountId)
    expect((await registerBy(await Authenticator.create(), other)).status).toBe(200)
  })
})

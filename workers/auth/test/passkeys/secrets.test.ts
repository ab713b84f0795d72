import { env } from 'cloudflare:workers'
import { wrapLocal } from '@svc/client/sign-in'
import { expectRefusal } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { dataOf, grantOf, prober, SESSION } from '../harness.ts'
import { logIn, type Session, signedIn } from '../opaque/opaque-client.fixture.ts'
import { Authenticator, registerBy } from './authenticator.fixture.ts'

const ask = (method: string, passkeyId: string, token: string, body?: unknown) =>
  prober.send({
    method,
    path: `/api/auth/passkeys/${passkeyId}/secret`,
    headers: { [SESSION]: token },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
const prf = crypto.getRandomValues(new Uint8Array(32))
const wrap = (bytes: number) => wrapLocal(prf, 'app', new Uint8Array(bytes))

async function withPasskey() {
  const person = await signedIn()
  const authenticator = await Authenticator.create()
  dataOf(await registerBy(authenticator, await grantOf(person.token)))
  return { ...person, passkeyId: authenticator.id }
}

describe('a secret that is kept with a passkey', () => {
  it('is read by every session of the account, and replaced and removed', async () => {
    const { passkeyId, token, identifier, password } = await withPasskey()
    expectRefusal(await ask('GET', passkeyId, token), 'not_found')
    const [first, second] = [wrap(32), wrap(64)]
    expect(dataOf(await ask('PUT', passkeyId, token, first))).toMatchObject({ wrapped: first })
    const other = dataOf<Session>(await logIn(identifier, password)).token
    expect(dataOf(await ask('GET', passkeyId, other))).toMatchObject({ wrapped: first })
    dataOf(await ask('PUT', passkeyId, other, second))
    expect(dataOf(await ask('GET', passkeyId, token))).toMatchObject({ wrapped: second })
    expect(dataOf(await ask('DELETE', passkeyId, token))).toEqual({ removed: true })
    expectRefusal(await ask('GET', passkeyId, token), 'not_found')
  })

  it('is not there for a stranger, or without a session', async () => {
    const [{ passkeyId, token }, stranger] = [await withPasskey(), await signedIn()]
    dataOf(await ask('PUT', passkeyId, token, wrap(32)))
    expectRefusal(await ask('GET', passkeyId, stranger.token), 'not_found')
    expectRefusal(await ask('PUT', passkeyId, stranger.token, wrap(32)), 'not_found')
    expectRefusal(await ask('DELETE', passkeyId, stranger.token), 'not_found')
    expectRefusal(await ask('GET', passkeyId, `signin_${'A'.repeat(43)}`), 'token_rejected')
    expect((await ask('GET', passkeyId, token)).status).toBe(200)
  })

  it('is a wrapped object of at most 4 KiB', async () => {
    const { passkeyId, token } = await withPasskey()
    dataOf(await ask('PUT', passkeyId, token, wrap(2700)))
    expect((await ask('PUT', passkeyId, token, wrap(3500))).status).toBe(413)
    expectRefusal(await ask('PUT', passkeyId, token, { ...wrap(32), secretB64u: 'AAAA' }), 'invalid_request')
    expectRefusal(await ask('PUT', passkeyId, token, { type: 'svc/local-wrap/v1' }), 'invalid_request')
  })

  it('goes with the passkey', async () => {
    const { passkeyId, token } = await withPasskey()
    dataOf(await ask('PUT', passkeyId, token, wrap(32)))
    await prober.send({ method: 'DELETE', path: `/api/auth/passkeys/${passkeyId}`, headers: { [SESSION]: token } })
    expectRefusal(await ask('GET', passkeyId, token), 'not_found')
    const rows = env.DB.prepare('SELECT count(*) AS n FROM passkeys WHERE credential_id = ?').bind(passkeyId)
    expect(await rows.first('n')).toBe(0)
  })
})

import { env } from 'cloudflare:workers'
import { expectRefusal } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { dataOf, freshGrant, grantOf, post, prober, rowsOf, SESSION } from '../harness.ts'
import { type Session, signedIn } from '../opaque/opaque-client.fixture.ts'
import {
  type Algorithm,
  Authenticator,
  creationOptions,
  registerBy,
  requestOptions,
  signInBy,
  verifyCreation,
  withLastBitFlipped,
} from './authenticator.fixture.ts'

interface Registered {
  readonly passkey: { readonly passkeyId: string; readonly label: string }
  readonly session: Session | null
}
const at = (token: string) => ({ [SESSION]: token })
const passkeys = async (token: string) =>
  dataOf<{ passkeys: { passkeyId: string; label: string }[] }>(
    await prober.send({ method: 'GET', path: '/api/auth/passkeys', headers: at(token) }),
  ).passkeys

describe('a passkey', () => {
  it.each([-7, -8, -257] as Algorithm[])('of algorithm %d makes an account and signs in to it', async (alg) => {
    const authenticator = await Authenticator.create(alg)
    const { passkey, session } = dataOf<Registered>(await registerBy(authenticator, undefined, 'Key'))
    expect(passkey).toEqual({
      passkeyId: authenticator.id,
      label: 'Key',
      createdAt: expect.any(Number),
      lastUsedAt: null,
      isBackedUp: false,
      counterWentBackAt: null,
    })
    expect(session).toMatchObject({ method: 'passkey', accountId: authenticator.userHandle })
    const again = dataOf<{ session: Session }>(await signInBy(authenticator))
    expect(again.session).toMatchObject({ method: 'passkey', accountId: session?.accountId })
    expect(again.session.token).not.toBe(session?.token)
    expect(await passkeys(again.session.token)).toMatchObject([{ lastUsedAt: expect.any(Number) }])
  })

  it('is asked for as this runtime can verify it: discoverable, with the person verified, PRF, and no ML-DSA', async () => {
    const { options } = await creationOptions(await freshGrant())
    expect(options).toMatchObject({
      rp: { id: 'localhost' },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      extensions: { prf: {}, credProps: true },
      pubKeyCredParams: [-8, -7, -257].map((alg) => ({ alg, type: 'public-key' })),
    })
    expect(options.challenge).toHaveLength(43)
    const request = (await requestOptions()).options
    expect(request).toMatchObject({ rpId: 'localhost', userVerification: 'required', extensions: { prf: {} } })
    expect(request['allowCredentials'] ?? []).toEqual([])
  })

  it('is added to an account that has a password, beside others', async () => {
    const person = await signedIn()
    const [one, other] = [await Authenticator.create(), await Authenticator.create()]
    const added = dataOf<Registered>(await registerBy(one, await grantOf(person.token), 'Laptop'))
    expect(added.session).toBeNull()
    const begun = await creationOptions(await grantOf(person.token))
    expect(begun.options['excludeCredentials']).toMatchObject([{ id: one.id }])
    dataOf(await verifyCreation(begun, await other.create(begun)))
    expect(await passkeys(person.token)).toMatchObject([
      { passkeyId: one.id, label: 'Laptop' },
      { passkeyId: other.id, label: 'Passkey' },
    ])
    for (const authenticator of [one, other]) {
      const { session } = dataOf<{ session: Session }>(await signInBy(authenticator))
      expect(session.accountId).toBe(person.accountId)
    }
  })

  it('may be asked for again after a prompt that was dismissed; the last challenge counts', async () => {
    const grant = await freshGrant()
    const [first, second] = [await creationOptions(grant), await creationOptions(grant)]
    const authenticator = await Authenticator.create()
    expectRefusal(await verifyCreation(first, await authenticator.create(first)), 'passkey_rejected')
    expectRefusal(await verifyCreation(second, await authenticator.create(second)), 'code_unusable')

    const another = await freshGrant()
    await creationOptions(another)
    const last = await creationOptions(another)
    expect((await verifyCreation(last, await authenticator.create(last))).status).toBe(200)
  })

  it('counts, or does not count at all', async () => {
    const silent = await Authenticator.create(-7, 0)
    dataOf(await registerBy(silent))
    dataOf(await signInBy(silent))
    dataOf(await signInBy(silent))
    const counting = await Authenticator.create(-7, 5)
    dataOf(await registerBy(counting))
    dataOf(await signInBy(counting))
    for (const counter of [6, 5, 1, 0]) expectRefusal(await signInBy(counting, { counter }), 'sign_in_rejected')
    const { session } = dataOf<{ session: Session }>(await signInBy(counting))
    expect(await passkeys(session.token)).toMatchObject([{ counterWentBackAt: expect.any(Number) }])
  })

  it('that may be synchronized says when it is', async () => {
    const authenticator = await Authenticator.create(-7, 0)
    const begun = await creationOptions(await freshGrant())
    const response = await authenticator.create(begun, { flags: 0x0d })
    expect(dataOf(await verifyCreation(begun, response))).toMatchObject({ passkey: { isBackedUp: false } })
    const { session } = dataOf<{ session: Session }>(await signInBy(authenticator, { flags: 0x1d }))
    expect(await passkeys(session.token)).toMatchObject([{ isBackedUp: true }])
    expect((await signInBy(authenticator, { flags: 0x0d, page: { crossOrigin: false } })).status).toBe(200)
  })

  it('signs in although its manager says otherwise than before whether it may be copied, and may have been', async () => {
    const authenticator = await Authenticator.create(-7, 0)
    dataOf(await registerBy(authenticator))
    const eligible = () =>
      env.DB.prepare('SELECT is_backup_eligible FROM passkeys WHERE credential_id = ?').bind(authenticator.id).first()
    expect(await eligible()).toEqual({ is_backup_eligible: 0 })
    for (const flags of [0x0d, 0x05, 0x1d, 0x05]) {
      expect((await signInBy(authenticator, { flags })).status, String(flags)).toBe(200)
      expect(await eligible()).toEqual({ is_backup_eligible: 1 })
    }
    const { session } = dataOf<{ session: Session }>(await signInBy(authenticator))
    expect(await passkeys(session.token)).toMatchObject([{ isBackedUp: false }])
  })

  it('is not reported for a counter that nobody signed', async () => {
    const authenticator = await Authenticator.create(-7, 5)
    const { session } = dataOf<Registered>(await registerBy(authenticator))
    expectRefusal(await signInBy(authenticator, { counter: 0, signature: withLastBitFlipped }), 'sign_in_rejected')
    expect(await passkeys(session?.token ?? '')).toMatchObject([{ counterWentBackAt: null }])
  })
})

describe('the passkeys of an account', () => {
  const change = (method: 'PUT' | 'DELETE', token: string, id: string, body?: object) =>
    prober.send({
      method,
      path: `/api/auth/passkeys/${id}`,
      headers: at(token),
      ...(body ? { body: JSON.stringify(body) } : {}),
    })

  it('are renamed and removed by their owner', async () => {
    const person = await signedIn()
    const authenticator = await Authenticator.create()
    dataOf(await registerBy(authenticator, await grantOf(person.token)))
    expect(dataOf(await change('PUT', person.token, authenticator.id, { label: ' Phone ' }))).toMatchObject({
      passkeyId: authenticator.id,
      label: 'Phone',
    })
    expect(dataOf(await change('DELETE', person.token, authenticator.id))).toEqual({ removed: true })
    expect(await passkeys(person.token)).toEqual([])
    expectRefusal(await signInBy(authenticator), 'sign_in_rejected')
    expectRefusal(await change('DELETE', person.token, authenticator.id), 'not_found')
  })

  it('are nobody else’s to rename or remove', async () => {
    const [owner, other] = [await signedIn(), await signedIn()]
    const authenticator = await Authenticator.create()
    dataOf(await registerBy(authenticator, await grantOf(owner.token)))
    expectRefusal(await change('PUT', other.token, authenticator.id, { label: 'Mine' }), 'not_found')
    expectRefusal(await change('DELETE', other.token, authenticator.id), 'not_found')
    expect(await passkeys(owner.token)).toMatchObject([{ label: 'Passkey' }])
    expect(await passkeys(other.token)).toEqual([])
  })

  it('keep the last thing that signs in', async () => {
    const [one, other] = [await Authenticator.create(), await Authenticator.create()]
    const { session } = dataOf<Registered>(await registerBy(one))
    const token = session?.token ?? ''
    expectRefusal(await change('DELETE', token, one.id), 'last_credential')
    dataOf(await registerBy(other, await grantOf(token)))
    expect(dataOf(await change('DELETE', token, one.id))).toEqual({ removed: true })
    expectRefusal(await change('DELETE', token, other.id), 'last_credential')
  })

  it('are at most twenty', async () => {
    const person = await signedIn()
    const insert = env.DB.prepare(
      `INSERT INTO passkeys (credential_id, account_id, public_key, counter, transports, label, is_backed_up, created_at)
       VALUES (?, ?, x'00', 0, '[]', 'x', 0, 1)`,
    )
    await env.DB.batch(
      Array.from({ length: 19 }, (_, i) => insert.bind(`AA${String(i).padStart(2, '0')}`, person.accountId)),
    )
    const [waiting, last] = [await grantOf(person.token), await creationOptions(await grantOf(person.token))]
    const late = await creationOptions(waiting)
    dataOf(await verifyCreation(last, await (await Authenticator.create()).create(last)))
    expectRefusal(await verifyCreation(late, await (await Authenticator.create()).create(late)), 'passkey_limit')
    const grant = await grantOf(person.token)
    expectRefusal(await post('passkey/register', { step: 'options', grant, name: 'x' }), 'passkey_limit')
    expect(await passkeys(person.token)).toHaveLength(20)
  })

  it.each(['', ' ', 'x'.repeat(65), 'a\u0000b', 'a\nb'])('take no label %j', async (label) => {
    const person = await signedIn()
    expectRefusal(await change('PUT', person.token, 'AAAA', { label }), 'invalid_request')
  })

  it('leave nothing behind where nothing was accepted', async () => {
    const before = [await rowsOf('accounts'), await rowsOf('passkeys'), await rowsOf('sessions')]
    const begun = await creationOptions(await freshGrant())
    const response = await (await Authenticator.create()).create(begun, { origin: 'https://evil.example' })
    expectRefusal(await verifyCreation(begun, response), 'passkey_rejected')
    expect([await rowsOf('accounts'), await rowsOf('passkeys'), await rowsOf('sessions')]).toEqual(before)
  })
})

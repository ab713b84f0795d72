import { expectRefusal } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { dataOf, grantOf, post, prober, rowsOf, SESSION } from '../harness.ts'
import { logIn, register, type Session, signedIn } from '../opaque/opaque-client.fixture.ts'
import {
  Authenticator,
  creationOptions,
  registerBy,
  signInBy,
  verifyCreation,
} from '../passkeys/authenticator.fixture.ts'

const ask = (method: string, path: string, token: string) =>
  prober.send({ method, path: `/api/auth/${path}`, headers: { [SESSION]: token } })
const passwordSession = async ({ identifier, password }: { identifier: string; password: string }) =>
  dataOf<Session>(await logIn(identifier, password))

/** Somebody whose session was stolen, and the grants that the thief has taken with it. */
async function robbed() {
  const person = await signedIn()
  const stolen = await passwordSession(person)
  const [forPassword, forPasskey, forPrompt] = [
    await grantOf(stolen.token),
    await grantOf(stolen.token),
    await grantOf(stolen.token),
  ]
  const prompt = await creationOptions(forPrompt)
  return { person, stolen, forPassword, forPasskey, prompt, authenticator: await Authenticator.create() }
}

describe('a grant of a session', () => {
  it.each<[string, (token: string, of: Awaited<ReturnType<typeof robbed>>) => Promise<unknown>]>([
    ['signed out', (_, { stolen }) => ask('DELETE', 'session', stolen.token)],
    [
      'ended by another password',
      async (token, { person }) => register(person.identifier, 'another', { grant: await grantOf(token) }),
    ],
  ])('is over with a session that was %s', async (_, end) => {
    const thief = await robbed()
    const { person, stolen, forPassword, forPasskey, prompt, authenticator } = thief
    await end(person.token, thief)
    expectRefusal(await ask('GET', 'session', stolen.token), 'token_rejected')
    const before = [await rowsOf('passkeys'), await rowsOf('opaque_records'), await rowsOf('sessions')]
    expectRefusal(await register(person.identifier, 'stolen', { grant: forPassword }), 'code_unusable')
    const asked = await post('passkey/register', { step: 'options', grant: forPasskey, name: 'x' })
    expectRefusal(asked, 'code_unusable')
    expectRefusal(await verifyCreation(prompt, await authenticator.create(prompt)), 'code_unusable')
    expect([await rowsOf('passkeys'), await rowsOf('opaque_records'), await rowsOf('sessions')]).toEqual(before)
    expectRefusal(await logIn(person.identifier, 'stolen'), 'sign_in_rejected')
    expectRefusal(await signInBy(authenticator), 'sign_in_rejected')
  })

  it('sets no first password either, once its session is over', async () => {
    const { session } = dataOf<{ session: Session }>(await registerBy(await Authenticator.create()))
    const [grant, identifier] = [await grantOf(session.token), `late-${crypto.randomUUID().slice(0, 8)}`]
    await ask('DELETE', 'session', session.token)
    expectRefusal(await register(identifier, 'stolen', { grant }), 'code_unusable')
    expectRefusal(await logIn(identifier, 'stolen'), 'sign_in_rejected')
  })

  it('sets a password while the session is in force, for twenty at once too', async () => {
    const person = await signedIn()
    const grants = await Promise.all(Array.from({ length: 20 }, () => grantOf(person.token)))
    const answers = await Promise.all(grants.map((grant, i) => register(person.identifier, `set ${i}`, { grant })))
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
    expect(statuses).toEqual([200, ...Array<number>(19).fill(404)])
    const winner = answers.findIndex(({ status }) => status === 200)
    expect((await logIn(person.identifier, `set ${winner}`)).status).toBe(200)
  })
})

describe('a passkey that is removed', () => {
  const sessionOf = async (authenticator: Authenticator) =>
    dataOf<{ session: Session }>(await signInBy(authenticator)).session

  it('ends every other session, which its holder may have opened', async () => {
    const person = await signedIn()
    const lost = await Authenticator.create()
    dataOf(await registerBy(lost, await grantOf(person.token)))
    const thief = await sessionOf(lost)
    const waiting = await grantOf(thief.token)
    const bystander = await signedIn()
    expect((await ask('DELETE', `passkeys/${lost.id}`, person.token)).status).toBe(200)
    expectRefusal(await ask('GET', 'session', thief.token), 'token_rejected')
    expectRefusal(await post('passkey/register', { step: 'options', grant: waiting, name: 'x' }), 'code_unusable')
    for (const { token } of [person, bystander]) expect((await ask('GET', 'session', token)).status).toBe(200)
  })

  it('ends none where it is not removed', async () => {
    const [one, stranger] = [await Authenticator.create(-8), await signedIn()]
    const { session } = dataOf<{ session: Session }>(await registerBy(one))
    const other = await sessionOf(one)
    expectRefusal(await ask('DELETE', `passkeys/${one.id}`, other.token), 'last_credential')
    expectRefusal(await ask('DELETE', `passkeys/${one.id}`, stranger.token), 'not_found')
    for (const token of [session.token, other.token]) expect((await ask('GET', 'session', token)).status).toBe(200)
  })
})

import { ServiceError, type SignedIn, SignIn, unwrapLocal, wrapLocal } from '@svc/client/sign-in'
import { presentSession } from './foreign-session.ts'
import { named, type Show, type World } from './world.ts'

/** The token that Turnstile's widget returns with its testing keys. */
const TESTING_TOKEN = 'XXXX.DUMMY.TOKEN.XXXX'
const APPLICATION = 'walk-through'

/** A person signs in with a password, which unlocks what a device keeps and nothing else. */
export async function signIn({ auth, urls }: World, show: Show): Promise<void> {
  const person = new SignIn({ auth })
  const name = `carol-${crypto.randomUUID().slice(0, 8)}`
  const secret = crypto.getRandomValues(new Uint8Array(32))
  let entered: SignedIn | null = null
  await show('carol: passes a bot challenge and registers a password', 'received', async () => {
    const { grant } = await person.challenge(TESTING_TOKEN, 'register')
    await person.register(grant ?? '', name, 'correct horse battery staple')
    return 'received'
  })
  await show('carol: signs in with OPAQUE, and wraps a device secret', 'password, opens again', async () => {
    entered = await person.logIn(name, 'correct horse battery staple')
    const wrapped = wrapLocal(entered?.exportKey ?? new Uint8Array(), APPLICATION, secret)
    const again = await person.logIn(name.toUpperCase(), 'correct horse battery staple')
    const opened = unwrapLocal(again?.exportKey ?? new Uint8Array(), APPLICATION, wrapped)
    const { method } = (await entered?.session.read()) ?? {}
    return `${method}, ${Buffer.compare(opened, secret) === 0 ? 'opens again' : 'does not open'}`
  })
  await show('must fail: a wrong password, and an unknown name', 'null, null', async () => {
    const answers = [await person.logIn(name, 'wrong'), await person.logIn('nobody-at-all', 'wrong')]
    return answers.map((one) => (one === null ? 'null' : 'a session')).join(', ')
  })
  await show('must fail: her session at every route that requires an assertion', 'each 401', async () => {
    const refused = await presentSession(urls, entered?.session.token ?? '')
    // The session was valid throughout.
    await entered?.session.read()
    return refused
  })
  await show('must fail: her session after she signed out', '401 token_rejected', async () => {
    await entered?.session.signOut()
    return (await entered?.session.read().then(() => 'read', refusal)) ?? 'no session'
  })
  await show('carol: deletes her account, and nothing signs in to it', 'null', async () => {
    const back = await person.logIn(name, 'correct horse battery staple')
    await back?.session.deleteAccount()
    return (await person.logIn(name, 'correct horse battery staple')) === null ? 'null' : 'a session'
  })
}

const refusal = (error: unknown) => (error instanceof ServiceError ? named(error) : 'a fault')

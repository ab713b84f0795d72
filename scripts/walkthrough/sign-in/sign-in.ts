import { ServiceError, type SignedIn, SignIn, type SignInSession, unwrapLocal, wrapLocal } from '@svc/client/sign-in'
import { named, ownAddress, type Show, type World } from '../world.ts'
import { presentSession } from './foreign-session.ts'

/** The token that Turnstile's widget returns with its testing keys. */
const TESTING_TOKEN = 'XXXX.DUMMY.TOKEN.XXXX'
const APPLICATION = 'walk-through'

/** A person signs in with a password, which unlocks what a device keeps and nothing else. */
export async function signIn({ auth, urls }: World, show: Show): Promise<void> {
  const person = new SignIn({ auth })
  const name = `carol-${crypto.randomUUID().slice(0, 8)}`
  const secret = crypto.getRandomValues(new Uint8Array(32))
  let entered: SignedIn | null = null
  await show('carol: passes a bot challenge and registers a password', 'signed-in', async () => {
    const { grant } = await person.challenge(TESTING_TOKEN, 'register')
    return (await person.register(grant ?? '', name, 'correct horse battery staple')).outcome
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
    // From another address: the steps before used up the twenty requests of this one.
    const elsewhere = new SignIn({ auth, headers: ownAddress() })
    const back = await elsewhere.logIn(name, 'correct horse battery staple')
    await back?.session.deleteAccount()
    return (await elsewhere.logIn(name, 'correct horse battery staple')) === null ? 'null' : 'a session'
  })
}

/** What an account page does: addresses by mail, another password with a session, the lists. */
export async function accountPage({ auth, mail }: World, show: Show): Promise<void> {
  const person = () => new SignIn({ auth, headers: ownAddress() })
  const address = `dora-${crypto.randomUUID().slice(0, 8)}@${crypto.randomUUID().slice(0, 8)}.example`
  const register = async (by: SignIn, identifier: string, password: string) => {
    const { grant } = await by.challenge(TESTING_TOKEN, 'register')
    return by.register(grant ?? '', identifier, password)
  }
  let session: SignInSession | undefined
  await show('dora: confirms her address by the code in a mail', 'confirm-by-mail, password', async () => {
    const made = await register(person(), address, 'her first password')
    if (made.outcome !== 'confirm-by-mail') return made.outcome
    const entered = await made.confirm(await mail.codeIn(address))
    session = entered.session
    return `${made.outcome}, ${(await session.read()).method}`
  })
  await show(
    'must fail: a stranger with her address is told nothing, and no code is right',
    'confirm-by-mail, 403 code_rejected',
    async () => {
      const made = await register(person(), address, 'a password of a stranger')
      if (made.outcome !== 'confirm-by-mail') return made.outcome
      return `${made.outcome}, ${await made.confirm('000000').then(() => 'confirmed', refusal)}`
    },
  )
  await show('must fail: a user name that somebody has', 'signed-in, taken', async () => {
    const name = `erin-${crypto.randomUUID().slice(0, 8)}`
    const outcomes = [await register(person(), name, 'one password'), await register(person(), name, 'another')]
    return outcomes.map(({ outcome }) => outcome).join(', ')
  })
  await show(
    'dora: sets another password with her session, which ends the session',
    'signed-in, 401 token_rejected',
    async () => {
      const made = await person().register((await session?.grant()) ?? '', address, 'her second password', {
        deviceLabel: 'Laptop',
      })
      const before = await session?.read().then(() => 'read', refusal)
      if (made.outcome === 'signed-in') session = made.session
      return `${made.outcome}, ${before}`
    },
  )
  await show(
    'dora: lists her devices and sessions, ends the others and forgets the devices',
    'Laptop, 2 sessions, 1 ended, 1 forgotten',
    async () => {
      await person().logIn(address, 'her second password', {})
      const labels = (await session?.knownDevices())?.flatMap(({ label }) => label ?? [])
      const sessions = (await session?.sessions())?.length
      const ended = await session?.endOtherSessions()
      const laptop = (await session?.knownDevices())?.find(({ label }) => label === 'Laptop')
      await session?.forgetDevice(laptop?.deviceId ?? '')
      return `${labels?.join()}, ${sessions} sessions, ${ended} ended, ${await session?.forgetDevices()} forgotten`
    },
  )
}

const refusal = (error: unknown) => (error instanceof ServiceError ? named(error) : 'a fault')

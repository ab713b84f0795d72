import { ServiceError, SignIn, type SignInSession } from '@svc/client/sign-in'
import { freshAddress } from '@svc/platform/callers/send'
import { type Cast, DUMMY_TOKEN } from './cast.ts'

const [PASSWORD, NEXT_PASSWORD] = ['correct horse battery staple', 'another horse battery staple']

/** An account whose password was changed, and sessions that were ended. */
export async function rememberAccounts({ stage, memories }: Cast): Promise<void> {
  const person = () => new SignIn({ auth: stage.urls.auth, headers: { 'cf-connecting-ip': freshAddress() } })
  const name = `carol-${crypto.randomUUID().slice(0, 12)}`
  const by = person()
  const { grant } = await by.challenge(DUMMY_TOKEN, 'register')
  const made = await by.register(grant ?? '', name, PASSWORD)
  if (made.outcome !== 'signed-in') throw new Error(`the account was not made: ${made.outcome}`)
  const changed = await person().register(await made.session.grant(), name, NEXT_PASSWORD)
  if (changed.outcome !== 'signed-in') throw new Error(`the password was not changed: ${changed.outcome}`)
  await changed.session.signOut()
  memories.holds('an account and its password', async () => (await person().logIn(name, NEXT_PASSWORD)) !== null)
  memories.refuses('a password that was changed', async () => (await person().logIn(name, PASSWORD)) === null)
  memories.refuses('a session that was ended', () => isEnded(changed.session))
  // Open now, and ended in the next part: an earlier state of the database has it as it is now.
  const open = await person().logIn(name, NEXT_PASSWORD)
  if (!open) throw new Error('the account does not sign in')
  memories.later(async () => {
    await open.session.signOut()
    memories.refuses('a session that was ended later', () => isEnded(open.session))
  })
}

async function isEnded(session: SignInSession): Promise<boolean> {
  try {
    await session.read()
    return false
  } catch (error) {
    if (error instanceof ServiceError && error.error === 'token_rejected') return true
    throw error
  }
}

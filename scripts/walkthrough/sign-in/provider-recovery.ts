import { type SignedIn, SignIn } from '@svc/client/sign-in'
import { OWN_PAGE_ORIGIN } from '@svc/platform/local/pages'
import { named, ownAddress, type Show, type World } from '../world.ts'
import { visitProvider } from './provider-visit.ts'

/** Where a developer's own page takes people back. */
const PAGE = `${OWN_PAGE_ORIGIN}/welcome`

/** A person who began with Google loses the password, and gets the account back by showing who it is at Google. */
export async function providerRecovery({ auth }: World, show: Show): Promise<void> {
  const person = () => new SignIn({ auth, headers: ownAddress() })
  const id = crypto.randomUUID().slice(0, 8)
  const [name, email] = [`gina-${id}`, `gina-${id}@example.org`]
  const ticketOf = async (provider: 'google' | 'microsoft', address: string) => {
    const { url, verifier } = await person().startOnboarding(provider, PAGE)
    const arrived = await visitProvider(url, PAGE, address)
    return { ticket: arrived.get('ticket') ?? '', verifier }
  }
  const from = async (provider: 'google' | 'microsoft', address: string) => {
    const { ticket, verifier } = await ticketOf(provider, address)
    return person().verifyTicket(ticket, verifier)
  }
  const standing = ({ hasAccount }: { readonly hasAccount: boolean }) => (hasAccount ? 'account' : 'none')

  let before: SignedIn | undefined
  let accountId = ''
  let grant = ''
  await show('gina: comes from Google, and creates an account with a password', 'none, signed-in', async () => {
    const came = await from('google', email)
    const made = await person().register(came.grant ?? '', name, 'a password to forget')
    if (made.outcome !== 'signed-in') return made.outcome
    before = made
    accountId = (await made.session.read()).accountId
    return `${standing(came)}, ${made.outcome}`
  })
  await show('must fail: her ticket with another verifier, and then with hers', 'each 404 code_unusable', async () => {
    const { ticket, verifier } = await ticketOf('google', email)
    const other = await person().startOnboarding('google', PAGE)
    const answers: string[] = []
    for (const one of [other.verifier, verifier])
      answers.push(await person().verifyTicket(ticket, one).then(standing, named))
    return new Set(answers).size === 1 ? `each ${answers[0]}` : answers.join(', ')
  })
  await show('must fail: others at Google, and her address at Microsoft, reach her account', 'none, none', async () => {
    const others = [await from('google', `other-${email}`), await from('microsoft', email)]
    return others.map(standing).join(', ')
  })
  await show('gina: forgets her password, and Google confirms that it is her account', 'account', async () => {
    const came = await from('google', email)
    grant = came.grant ?? ''
    return standing(came)
  })
  await show(
    'gina: sets another password with that grant, which ends her sessions',
    'signed-in, 401 token_rejected',
    async () => {
      const made = await person().register(grant, name, 'a password to keep')
      return `${made.outcome}, ${await before?.session.read().then(() => 'read', named)}`
    },
  )
  await show('must fail: the password before, and the grant again', 'null, 404 code_unusable', async () => {
    const entered = await person().logIn(name, 'a password to forget')
    const again = await person()
      .register(grant, name, 'a third password')
      .then(({ outcome }) => outcome, named)
    return `${entered === null ? 'null' : 'a session'}, ${again}`
  })
  await show('gina: signs in with the new password, to the same account', 'the same', async () => {
    const entered = await person().logIn(name, 'a password to keep')
    return (await entered?.session.read())?.accountId === accountId ? 'the same' : 'another'
  })
}

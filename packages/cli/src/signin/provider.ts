import { usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { argument, type Given, option, type Result } from '../result.ts'
import { KeptSignIn, signInOf } from './kept.ts'

export async function begin(context: Context, given: Given): Promise<Result> {
  const provider = argument(given, 0)
  const returnTo = option(given, 'returnTo')
  if (provider !== 'google' && provider !== 'microsoft')
    throw usage(`"${provider}" is not a provider`, 'choose google or microsoft')
  if (returnTo === undefined)
    throw usage('The page to come back to is missing', 'pass --return-to with a page that the deployment allows')
  const { url, verifier } = await (await signInOf(context)).startOnboarding(provider, returnTo)
  if (!context.options.dryRun) await (await KeptSignIn.open(context)).change({ verifier })
  return { data: { url }, text: [url, 'Next: open it in a browser, then svc signin return ADDRESS'] }
}

/** The verifier never leaves this machine before the ticket is back: who only sees the address cannot use it. */
export async function comeBack(context: Context, given: Given): Promise<Result> {
  const store = await KeptSignIn.open(context)
  const { verifier } = store.kept
  const fragment = new URLSearchParams(URL.parse(argument(given, 0))?.hash.slice(1))
  const ticket = fragment.get('ticket')
  if (verifier === null) throw usage('No visit to a provider was begun here', 'svc signin provider google')
  if (ticket === null)
    throw usage('The address has no ticket', 'copy the whole address of the page, with what follows the #')
  if (context.options.dryRun) return { data: {}, text: 'Would spend the ticket.' }
  const { provider, hasAccount, emailVerified, grant } = await (await signInOf(context)).verifyTicket(ticket, verifier)
  await store.change({ verifier: null, pending: grant === null ? null : { grant, name: null, isSet: false } })
  return {
    data: { provider, hasAccount, emailVerified },
    text: [
      `${provider} has confirmed who you are. ${hasAccount ? 'You have an account.' : 'You have no account yet.'}`,
      `Next: svc signin register NAME ${hasAccount ? 'sets another password for it' : 'makes it'}`,
    ],
  }
}

import type { LoggedIn, SignIn } from '#client/sign-in'
import type { Secret } from '#client/text'
import { CliError, usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { argument, type Given, option, type Result } from '../result.ts'
import { KeptSignIn, passwords, sessionOf, signInOf } from './kept.ts'

const PAGE = '/developer/auth'

/** With a grant that a provider has led to, or for a token of the human check. */
export async function register(context: Context, given: Given): Promise<Result> {
  const name = argument(given, 0)
  const asked = passwords(context, given)
  if (context.options.dryRun) return { data: {}, text: `Would make an account for ${name}.` }
  const store = await KeptSignIn.open(context)
  const service = await signInOf(context)
  if (store.waitsForLogin(name)) return attempt(store, service, { name, password: await asked.existing(name), given })
  const { pending } = store.kept
  const grant = pending && !pending.isSet ? pending.grant : await grantFor(service, option(given, 'challenge'))
  const password = await asked.chosen(name)
  return registered(store, service, { name, grant, password, label: option(given, 'label') })
}

export async function changePassword(context: Context, given: Given): Promise<Result> {
  const name = argument(given, 0)
  const asked = passwords(context, given)
  if (context.options.dryRun) return { data: {}, text: `Would set another password for ${name}.` }
  const store = await KeptSignIn.open(context)
  const service = await signInOf(context)
  if (store.waitsForLogin(name)) return attempt(store, service, { name, password: await asked.existing(name), given })
  const session = await sessionOf(context, store)
  const password = await asked.chosen(name)
  const grant = await session.grant()
  return registered(store, service, { name, grant, password, label: option(given, 'label') })
}

async function grantFor(service: SignIn, token: string | undefined): Promise<string> {
  if (token === undefined)
    throw usage(
      'The token of the human check is missing',
      'pass --challenge; a local start takes XXXX.DUMMY.TOKEN.XXXX. Or begin with svc signin provider',
    )
  const { grant } = await service.challenge(token, 'register')
  if (grant !== null) return grant
  throw refused(
    'no_registration',
    'This deployment makes no accounts for passwords alone',
    'svc signin provider google',
  )
}

interface Registration {
  readonly name: string
  readonly grant: string
  readonly password: Secret
  readonly label: string | undefined
}

async function registered(
  store: KeptSignIn,
  service: SignIn,
  { name, grant, password, label }: Registration,
): Promise<Result> {
  const isSet = (await service.setPassword(grant, name, password)) === null
  // A grant and a code are used once. If signing in fails after them, the next run goes on from there.
  await store.change({ pending: { grant, name, isSet } })
  if (!isSet)
    return {
      data: { outcome: 'confirm-by-mail', accountId: null },
      text: [`A code was sent to ${name}.`, 'Next: svc signin confirm CODE'],
      exitCode: EXIT.pending,
    }
  const session = await service.logIn(name, password, { deviceLabel: label })
  if (session) return entered(store, name, session)
  await store.change({ pending: null })
  throw refused('taken', `The name ${name} belongs to another account`, 'choose another name')
}

export async function confirm(context: Context, given: Given): Promise<Result> {
  const asked = passwords(context, given)
  const store = await KeptSignIn.open(context)
  const { pending } = store.kept
  if (pending?.name == null) throw usage('No registration waits for a code', 'svc signin register ADDRESS')
  if (context.options.dryRun) return { data: {}, text: `Would confirm ${pending.name}.` }
  const password = await asked.existing(pending.name)
  const service = await signInOf(context)
  if (!pending.isSet) {
    await service.confirmRegistration(pending.grant, argument(given, 0))
    await store.change({ pending: { ...pending, isSet: true } })
  }
  return attempt(store, service, { name: pending.name, password, given })
}

export async function logIn(context: Context, given: Given): Promise<Result> {
  const name = argument(given, 0)
  const asked = passwords(context, given)
  if (context.options.dryRun) return { data: {}, text: `Would sign in as ${name}.` }
  const store = await KeptSignIn.open(context)
  const password = await asked.existing(name)
  return attempt(store, await signInOf(context), { name, password, given })
}

interface Attempt {
  readonly name: string
  readonly password: Secret
  readonly given: Given
}

async function attempt(store: KeptSignIn, service: SignIn, { name, password, given }: Attempt): Promise<Result> {
  const session = await service.logIn(name, password, {
    knownDevice: store.knownDevice(name),
    challengeToken: option(given, 'challenge'),
    deviceLabel: option(given, 'label'),
  })
  if (session) return entered(store, name, session)
  throw wrongPassword()
}

export function wrongPassword(): CliError {
  return refused('wrong_password', 'The name or the password is wrong', 'check both, and run it again')
}

async function entered(store: KeptSignIn, name: string, { session, knownDevice }: LoggedIn): Promise<Result> {
  // First: if it is refused, the next run signs in again.
  const { accountId } = await session.read()
  const knownDevices = { ...store.kept.knownDevices, [name.toLowerCase()]: knownDevice }
  await store.change({ token: session.token, knownDevices, pending: null, verifier: null })
  return { data: { outcome: 'signed-in', accountId }, text: `Signed in as ${name}.` }
}

function refused(code: string, message: string, next: string): CliError {
  return new CliError({ exitCode: EXIT.refused, code, message, next, page: PAGE })
}

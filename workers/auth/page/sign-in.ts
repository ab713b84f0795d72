/** The page for trying sign-in on one machine: what an application would do with the SDK, and nothing besides. */
import { ServiceError, type SignedIn, SignIn, type SignInSession, unwrapLocal, wrapLocal } from '@svc/client/sign-in'

/** What Turnstile's widget gives with its testing keys. */
const TESTING_TOKEN = 'XXXX.DUMMY.TOKEN.XXXX'
const APPLICATION = `${location.origin}/sign-in`
const VERIFIER = 'svc-onboarding-verifier'
const KNOWN_DEVICE = 'svc-known-device'

const signIn = new SignIn({ auth: location.origin })
let session: SignInSession | null = null
/** Ends the offer of passkeys in the autofill, which begins with the page. */
const offering = new AbortController()
/** From a ticket: the next account is made with it instead of a bot challenge. */
let grant: string | null = null

function part<T extends HTMLElement>(id: string, type: new () => T): T {
  const element = document.getElementById(id)
  if (!(element instanceof type)) throw new Error(`no ${id}`)
  return element
}
const identifier = part('identifier', HTMLInputElement)
const password = part('password', HTMLInputElement)

function say(text: string, isBad = false): void {
  const status = part('status', HTMLElement)
  status.textContent = text
  status.classList.toggle('bad', isBad)
}

/** One thing at a time: what was asked for twice would spend a ceremony that the first still needs. */
async function doing(text: string, work: () => Promise<void>): Promise<void> {
  const buttons = [...document.querySelectorAll('button')]
  for (const button of buttons) button.disabled = true
  say(text)
  try {
    await work()
  } catch (error) {
    say(sentenceOf(error), true)
  } finally {
    for (const button of document.querySelectorAll('button')) button.disabled = false
  }
}

function sentenceOf(error: unknown): string {
  if (error instanceof ServiceError && error.error === 'invalid_request') return 'Enter a user name or e-mail address'
  if (error instanceof ServiceError) return error.message
  if (error instanceof Error && error.name === 'NotAllowedError') return 'The prompt was dismissed'
  return 'Something went wrong; try again'
}

async function accountGrant(): Promise<string> {
  if (grant !== null) {
    const once = grant
    grant = null
    return once
  }
  const answer = await signIn.challenge(TESTING_TOKEN, 'register')
  if (answer.grant === null) throw new Error('this deployment is not open')
  return answer.grant
}

/** A secret that this device draws once for an account and a way to sign in, and keeps wrapped. */
function localSecret(key: Uint8Array | null, name: string): string {
  if (key === null) return 'this passkey has no key to wrap it with'
  const kept = localStorage.getItem(name)
  const secret =
    kept === null ? crypto.getRandomValues(new Uint8Array(32)) : unwrapLocal(key, APPLICATION, JSON.parse(kept))
  if (kept === null) localStorage.setItem(name, JSON.stringify(wrapLocal(key, APPLICATION, secret)))
  const fingerprint = Array.from(secret.slice(0, 4), (byte) => byte.toString(16).padStart(2, '0')).join('')
  return `${kept === null ? 'made' : 'unlocked'}, ${fingerprint}`
}

async function enter({ session: opened, exportKey }: SignedIn): Promise<void> {
  offering.abort()
  session = opened
  password.value = ''
  const { accountId, method } = await opened.read()
  part('account', HTMLElement).textContent = accountId
  part('secret', HTMLElement).textContent = localSecret(exportKey, `${accountId}.${method}`)
  await showPasskeys()
  part('out', HTMLElement).hidden = true
  part('in', HTMLElement).hidden = false
  say('')
  part('in-title', HTMLElement).focus()
}

async function showPasskeys(): Promise<void> {
  const passkeys = (await session?.passkeys()) ?? []
  const items = passkeys.map(({ passkeyId, label, counterWentBackAt }) => {
    const item = document.createElement('li')
    const about = counterWentBackAt === null ? '' : ' (a copy of it may exist)'
    const name = document.createElement('span')
    name.textContent = `${label}${about}`
    item.append(
      name,
      action(`Rename ${label}`, () => rename(passkeyId)),
      action(`Remove ${label}`, () => remove(passkeyId)),
    )
    return item
  })
  part('passkeys', HTMLElement).replaceChildren(...items)
}

function action(text: string, act: () => Promise<void>): HTMLButtonElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'plain'
  button.textContent = text
  button.addEventListener('click', () => void doing('One moment', act))
  return button
}

async function rename(passkeyId: string): Promise<void> {
  const label = prompt('A name for this passkey')
  if (label === null) return say('')
  await session?.renamePasskey(passkeyId, label)
  await showPasskeys()
  say('Renamed')
}

async function remove(passkeyId: string): Promise<void> {
  await session?.removePasskey(passkeyId)
  await showPasskeys()
  say('Removed')
}

async function logIn(refused = 'The sign-in was not accepted'): Promise<void> {
  const knownDevice = localStorage.getItem(KNOWN_DEVICE) ?? undefined
  const attempt = (challengeToken?: string) =>
    signIn.logIn(identifier.value, password.value, { knownDevice, challengeToken })
  const entered = await attempt().catch((error: unknown) => {
    if (error instanceof ServiceError && error.error === 'challenge_required') return attempt(TESTING_TOKEN)
    throw error
  })
  if (!entered) return say(refused, true)
  localStorage.setItem(KNOWN_DEVICE, entered.knownDevice)
  await enter(entered)
}

async function register(): Promise<void> {
  if (password.value.length < 8) return say('A password has at least 8 characters', true)
  const made = await signIn.register(await accountGrant(), identifier.value, password.value)
  if (made.outcome === 'taken') return say('That name cannot be used; choose another', true)
  const code = made.outcome === 'confirm-by-mail' ? prompt('The code from the mail') : null
  const entered = made.outcome === 'confirm-by-mail' ? await made.confirm(code ?? '') : made
  localStorage.setItem(KNOWN_DEVICE, entered.knownDevice)
  await enter(entered)
}

/** Passkeys beside the names that the browser fills in. A prompt takes its place, and so does a sign-in. */
async function offer(): Promise<void> {
  if (!(await SignIn.canAutofill())) return
  try {
    const signedIn = await signIn.usePasskey({ autofill: true, signal: offering.signal })
    await doing('One moment', () => enter(signedIn))
  } catch (error) {
    if (!(error instanceof Error && error.name === 'AbortError')) say(sentenceOf(error), true)
  }
}

async function registerPasskey(): Promise<void> {
  const name = identifier.value === '' ? 'My account' : identifier.value
  const made = await signIn.registerPasskey(await accountGrant(), { name })
  if (made.session) await enter({ session: made.session, exportKey: null })
}

async function addPasskey(): Promise<void> {
  if (!session) return
  await signIn.registerPasskey(await session.grant(), { name: 'My account', label: 'Another passkey' })
  await showPasskeys()
  say('The passkey was added')
}

async function signOut(): Promise<void> {
  await session?.signOut()
  session = null
  part('in', HTMLElement).hidden = true
  part('out', HTMLElement).hidden = false
  say('You are signed out')
  part('status', HTMLElement).focus()
}

async function onboard(provider: 'google' | 'microsoft'): Promise<void> {
  const { url, verifier } = await signIn.startOnboarding(provider, `${location.origin}/sign-in`)
  sessionStorage.setItem(VERIFIER, verifier)
  location.assign(url)
}

/** Back from a provider: the fragment is taken out of the address before anything else. */
async function comeBack(): Promise<void> {
  const fragment = new URLSearchParams(location.hash.slice(1))
  const verifier = sessionStorage.getItem(VERIFIER)
  sessionStorage.removeItem(VERIFIER)
  history.replaceState(null, '', location.pathname)
  const ticket = fragment.get('ticket')
  if (fragment.has('error')) return say('You did not go on there', true)
  if (ticket === null || verifier === null) return
  await doing('One moment', async () => {
    const onboarding = await signIn.verifyTicket(ticket, verifier)
    // The grant of an account that exists would set another password.
    grant = onboarding.hasAccount ? null : onboarding.grant
    const vouched = onboarding.emailVerified ? ', who vouches for your address' : ''
    const next = onboarding.hasAccount ? 'You have an account already: sign in to it' : 'Now choose how to sign in'
    say(`Welcome from ${onboarding.provider}${vouched}. ${next}.`)
  })
}

part('password-form', HTMLFormElement).addEventListener('submit', (event) => {
  event.preventDefault()
  void doing('One moment', () => logIn())
})
const ACTIONS: Record<string, () => Promise<void>> = {
  register,
  'use-passkey': async () => enter(await signIn.usePasskey()),
  'register-passkey': registerPasskey,
  'add-passkey': addPasskey,
  'sign-out': signOut,
  google: () => onboard('google'),
  microsoft: () => onboard('microsoft'),
}
for (const [id, act] of Object.entries(ACTIONS)) {
  part(id, HTMLButtonElement).addEventListener('click', () => void doing('One moment', act))
}
void comeBack()
void offer()

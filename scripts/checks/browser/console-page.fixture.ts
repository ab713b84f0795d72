import type { ConsoleMessage, Page } from 'playwright-core'
import { freshAddress } from '../running-platform/fresh-address.ts'
import { DESKTOP } from './axe.fixture.ts'
import type { Visit } from './browser.fixture.ts'

const NARROW = { width: 360, height: 740 }

/** Both themes, on a desk and on a narrow phone. */
export const LOOKS = [
  { look: 'light-1280', colorScheme: 'light', viewport: DESKTOP },
  { look: 'dark-1280', colorScheme: 'dark', viewport: DESKTOP },
  { look: 'light-360', colorScheme: 'light', viewport: NARROW },
  { look: 'dark-360', colorScheme: 'dark', viewport: NARROW },
] as const

export const PASSWORD = 'correct horse battery'

let people = 0
export const freshName = () => {
  people += 1
  return `person-${people}-${crypto.randomUUID().slice(0, 8)}`
}

/**
 * Answers that the console expects, which a browser logs as errors: nothing is kept with the passkey yet, nobody has
 * registered the content, nobody has declared what machines may do with it, another creator has declared first, the
 * capsule is another one, a code is unknown, and the other device has not answered yet.
 */
const EXPECTED_ANSWERS = [
  { text: 'status of 404', path: /^\/api\/auth\/passkeys\/[\w-]+\/secret$/ },
  { text: 'status of 404', path: /^\/api\/provenance\/[^/]+\/proof$/ },
  { text: 'status of 404', path: /^\/api\/v1\/consent\/[^/]+(\/history)?$/ },
  { text: 'status of 409', path: /^\/api\/v1\/consent$/ },
  { text: 'status of 409', path: /^\/api\/register$/ },
  { text: 'status of 404', path: /^\/entitlement\/redeem$/ },
  { text: 'status of 409', path: /^\/api\/pair\/seal\/[\w-]+$/ },
]

function isExpected(message: ConsoleMessage): boolean {
  return EXPECTED_ANSWERS.some(
    ({ text, path }) => message.text().includes(text) && path.test(new URL(message.location().url).pathname),
  )
}

/** A page of the console, with everything unexpected that its browser complains about. */
export async function openConsole(
  visit: Visit,
  path = '/sign-in',
  options: Parameters<Visit['newPage']>[0] = {},
): Promise<{ readonly page: Page; readonly complaints: string[] }> {
  const page = await visit.newPage(options)
  const complaints: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !isExpected(message)) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.goto(visit.platform.consoleUrl + path)
  await page.getByRole('heading', { level: 1 }).waitFor()
  return { page, complaints }
}

export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
export const press = (page: Page, name: string) => button(page, name).click()
export const says = (page: Page, text: string) => page.getByRole('status').getByText(text, { exact: true }).waitFor()
export const follow = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).click()
/** Waits for a page of the console. The error contains the status line and the errors of the browser. */
export async function titled(page: Page, name: string): Promise<void> {
  const heading = page.getByRole('heading', { name, level: 1 })
  await heading.waitFor().catch(async (error: unknown) => {
    const told = await page.getByRole('status').allTextContents()
    const messages = (await page.consoleMessages()).filter((message) => message.type() === 'error')
    const errors = messages.map((message) => message.text())
    throw new Error(`no page “${name}”, but: ${[...told, ...errors].join('\n')}`, { cause: error })
  })
}
export const signedIn = (page: Page) => titled(page, 'Your account')
export const accountOf = (page: Page) => page.locator('dt:text-is("Account") + dd').textContent()

export async function fill(page: Page, name: string, password: string = PASSWORD): Promise<void> {
  await page.getByLabel('User name or e-mail address').fill(name)
  await page.getByLabel('Password', { exact: true }).fill(password)
}

export async function signIn(page: Page, name: string, password?: string): Promise<void> {
  await fill(page, name, password)
  await press(page, 'Sign in')
}

/** From the page of sign-in, with a password. */
export async function createAccount(page: Page, name: string, password?: string): Promise<void> {
  await follow(page, 'Create an account')
  await fill(page, name, password)
  await press(page, 'Create with a password')
  await signedIn(page)
}

/** From the page of sign-in. */
export async function createWithPasskey(page: Page): Promise<void> {
  await follow(page, 'Create an account')
  await press(page, 'Create with a passkey')
  await signedIn(page)
}

export async function signOut(page: Page): Promise<void> {
  await press(page, 'Sign out')
  await says(page, 'You are signed out.')
}

/** Makes the browser of a page send from a new address. */
export function moved(page: Page): Promise<void> {
  return page.context().setExtraHTTPHeaders({ 'cf-connecting-ip': freshAddress() })
}

/** On the page of the local identity provider. */
export async function chooseAtProvider(page: Page, email: string, isVerified = true): Promise<void> {
  await page.getByRole('radio', { name: 'Someone else' }).check()
  await page.getByLabel('E-mail address').fill(email)
  await page.getByRole('checkbox').setChecked(isVerified)
}
export const approve = (page: Page) => press(page, 'Continue')

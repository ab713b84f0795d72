import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { addAuthenticator, keepScreenshot, Visit } from '../browser.fixture.ts'
import {
  accountOf,
  createAccount,
  createWithPasskey,
  freshName,
  openConsole,
  press,
  says,
  signedIn,
  signIn,
  signOut,
} from '../console-page.fixture.ts'

const visit = await Visit.begin()
afterAll(() => visit.end())

/** Marks the page when the browser is asked for a passkey: with `conditional`, it offers one in autofill. */
function showMediation(page: Page): Promise<unknown> {
  return page.addInitScript(() => {
    const get = navigator.credentials.get.bind(navigator.credentials)
    navigator.credentials.get = (options) => {
      document.documentElement.dataset['mediation'] = options?.mediation ?? 'a prompt'
      return get(options)
    }
  })
}

describe('a passkey in a browser', () => {
  it('creates an account and signs in, and its PRF is never sent', async () => {
    const { page, complaints } = await openConsole(visit)
    const { cdp, authenticatorId } = await addAuthenticator(page)
    const sent: string[] = []
    page.on('request', (request) => sent.push(request.postData() ?? ''))
    await createWithPasskey(page)
    const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
    expect(credentials).toMatchObject([{ rpId: 'localhost', isResidentCredential: true }])
    const account = await accountOf(page)
    await signOut(page)
    await press(page, 'Sign in with a passkey')
    await signedIn(page)
    expect(await accountOf(page)).toBe(account)
    expect(sent.filter((body) => body.includes('results'))).toEqual([])
    expect(complaints).toEqual([])
  })

  it('is offered by autofill when the page opens, and signs in without a prompt', async () => {
    const { page } = await openConsole(visit)
    await addAuthenticator(page)
    await createWithPasskey(page)
    const account = await accountOf(page)
    await signOut(page)
    await showMediation(page)
    await page.reload()
    // No user action is needed: the browser picks the virtual authenticator.
    await signedIn(page)
    expect(await accountOf(page)).toBe(account)
    expect(await page.locator('html').getAttribute('data-mediation')).toBe('conditional')
  })

  it('gets a new challenge when the page stays open, and is not offered after sign-in', async () => {
    const page = await visit.newPage()
    await page.clock.install()
    const challenges: string[] = []
    page.on('request', (request) => request.url().endsWith('/passkey/authenticate') && challenges.push(request.url()))
    const offered = () => page.waitForResponse((response) => response.url().endsWith('/passkey/authenticate'))
    await showMediation(page)
    await page.goto(`${visit.platform.consoleUrl}/sign-in`)
    // Once the browser is asked, the page waits for the challenge to get old.
    await page.locator('html[data-mediation=conditional]').waitFor({ state: 'attached' })
    const second = offered()
    await page.clock.fastForward(101_000)
    await second
    await createAccount(page, freshName())
    await page.clock.fastForward(301_000)
    await signOut(page)
    expect(challenges).toHaveLength(2)
  })

  it('is added to a password account, renamed, and removed', async () => {
    const { page } = await openConsole(visit)
    await addAuthenticator(page)
    await createAccount(page, freshName())
    await press(page, 'Add a passkey')
    await says(page, 'The passkey was added.')
    await press(page, 'Rename Passkey')
    await page.getByLabel('Name of the passkey').fill('Laptop <b>')
    await press(page, 'Save')
    await says(page, 'The passkey was renamed.')
    await page.getByText('Laptop <b>', { exact: true }).waitFor()
    await keepScreenshot(page, 'console-passkeys')
    await press(page, 'Remove Laptop <b>')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await press(page, 'Remove Laptop <b>')
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await says(page, 'The passkey was removed.')
    await page.getByText('You have no passkeys yet.').waitFor()
  })

  it('is refused if its counter decreases', async () => {
    const { page } = await openConsole(visit)
    const { cdp, authenticatorId } = await addAuthenticator(page)
    await createWithPasskey(page)
    const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
    await signOut(page)
    await press(page, 'Sign in with a passkey')
    await signedIn(page)
    await signOut(page)
    const [credential] = credentials
    if (!credential) throw new Error('no credential')
    await cdp.send('WebAuthn.clearCredentials', { authenticatorId })
    await cdp.send('WebAuthn.addCredential', { authenticatorId, credential: { ...credential, signCount: 0 } })
    await press(page, 'Sign in with a passkey')
    await says(page, 'The sign-in was not accepted. Check what you entered, or use another way to sign in.')
  })
})

it('a passkey account gets a password, which signs in and ends other sessions', async () => {
  const { page } = await openConsole(visit)
  await addAuthenticator(page)
  await createWithPasskey(page)
  const account = await accountOf(page)
  const name = freshName()
  await press(page, 'Set a password')
  await page.getByLabel('User name or e-mail address').fill(name)
  await page.getByLabel('New password').fill('correct horse battery')
  await press(page, 'Save password')
  await says(page, 'Your new password is set.')
  await page.getByText('You have a password.').waitFor()
  const { page: other } = await openConsole(visit)
  await signIn(other, name)
  await signedIn(other)
  expect(await accountOf(other)).toBe(account)
})

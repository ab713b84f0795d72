import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { accessibilityFaults } from './axe.fixture.ts'
import { addAuthenticator, faintParts, keepScreenshot, Visit } from './browser.fixture.ts'
import {
  accountOf,
  button,
  createAccount,
  createWithPasskey,
  fill,
  follow,
  freshName,
  openConsole,
  press,
  says,
  signedIn,
  signIn,
  signOut,
  titled,
} from './console-page.fixture.ts'

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

describe('a password in a browser', () => {
  it('creates an account and signs in again, and is never sent', async () => {
    const { page, complaints } = await openConsole(visit)
    const sent: string[] = []
    page.on('request', (request) => sent.push(request.postData() ?? ''))
    const name = freshName()
    await createAccount(page, name)
    await keepScreenshot(page, 'console-account')
    const account = await accountOf(page)
    await signOut(page)
    await signIn(page, name.toUpperCase())
    await signedIn(page)
    expect(await accountOf(page)).toBe(account)
    expect(sent.some((body) => body.includes('finishLoginRequest'))).toBe(true)
    // The second login presents this device as known.
    const logins = sent.filter((body) => body.includes('startLoginRequest'))
    expect(logins.map((body) => body.includes('knownDevice'))).toEqual([false, true])
    expect(sent.filter((body) => body.includes('correct horse'))).toEqual([])
    expect(complaints).toEqual([])
  })

  it('is refused if wrong, like one for an unknown name', async () => {
    const { page } = await openConsole(visit)
    const name = freshName()
    await createAccount(page, name)
    await signOut(page)
    for (const attempt of [name, 'nobody-has-this']) {
      await signIn(page, attempt, 'wrong password')
      await says(page, 'Name or password is wrong. Check both, or recover your account.')
    }
    await keepScreenshot(page, 'console-refused')
    expect(await accessibilityFaults(page)).toEqual([])
  })

  it('that is too short is not accepted, and nothing is sent', async () => {
    const { page } = await openConsole(visit, '/create-account')
    await fill(page, freshName(), 'short')
    const sent: string[] = []
    page.on('request', (request) => sent.push(request.url()))
    await press(page, 'Create with a password')
    await says(page, 'Use at least 8 characters.')
    expect(await accessibilityFaults(page)).toEqual([])
    expect(sent).toEqual([])
  })
})

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

it('a new password whose login failed is used by the next attempt, although the session has ended', async () => {
  const { page } = await openConsole(visit)
  const name = freshName()
  await createAccount(page, name)
  let isDown = true
  await page.route('**/opaque/login/init', (route) => (isDown ? route.abort() : route.continue()))
  await press(page, 'Change password')
  await page.getByLabel('User name or e-mail address').fill(name)
  await page.getByLabel('New password').fill('correct horse battery')
  await press(page, 'Save password')
  await says(page, 'The service cannot be reached. Check your connection, and try again.')
  isDown = false
  await press(page, 'Save password')
  await says(page, 'Your new password is set.')
})

it('another password after a failed login is told about the first one, which then signs in', async () => {
  const { page } = await openConsole(visit, '/create-account')
  const name = freshName()
  let isDown = true
  await page.route('**/opaque/login/init', (route) => (isDown ? route.abort() : route.continue()))
  const tryWith = async (password: string) => {
    await fill(page, name, password)
    await press(page, 'Create with a password')
  }
  await tryWith('the first password')
  await says(page, 'The service cannot be reached. Check your connection, and try again.')
  isDown = false
  await tryWith('another password')
  await says(
    page,
    'The password that you entered first may already be set. Enter that one, or recover your account. If the name belongs to somebody else, choose another one.',
  )
  await tryWith('the first password')
  await signedIn(page)
})

it('an account is deleted after a question, and then there is no way in', async () => {
  const { page } = await openConsole(visit)
  const name = freshName()
  await createAccount(page, name)
  await press(page, 'Delete account')
  await keepScreenshot(page, 'console-delete')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete account' }).click()
  await says(page, 'Your account was deleted.')
  await signIn(page, name)
  await says(page, 'Name or password is wrong. Check both, or recover your account.')
})

describe('the pages of sign-in', () => {
  it.each(['light', 'dark'] as const)(
    'fit 320 pixels, with enough contrast on a %s background',
    async (colorScheme) => {
      const { page } = await openConsole(visit, '/sign-in', { colorScheme, viewport: { width: 320, height: 640 } })
      const looksWell = async () => {
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
        expect(await faintParts(page)).toEqual([])
      }
      await looksWell()
      await keepScreenshot(page, `console-sign-in-320-${colorScheme}`)
      await createAccount(page, freshName())
      await button(page, 'Sign out').isEnabled()
      await looksWell()
      await keepScreenshot(page, `console-account-320-${colorScheme}`)
    },
  )

  it('can be used from the keyboard alone', async () => {
    const { page } = await openConsole(visit, '/create-account')
    const focused = () =>
      page.evaluate(() => {
        const active = document.activeElement
        return active instanceof HTMLInputElement ? active.labels?.[0]?.textContent : active?.textContent
      })
    const tab = async () => {
      await page.keyboard.press('Tab')
      return focused()
    }
    expect(await tab()).toBe('Skip to the content')
    await page.keyboard.press('Enter')
    expect(await tab()).toBe('User name or e-mail address')
    await page.keyboard.type(freshName())
    expect(await tab()).toBe('Create with a passkey')
    expect(await tab()).toBe('Password')
    await page.keyboard.type('correct horse battery')
    expect(await tab()).toBe('Create with a password')
    await page.keyboard.press('Enter')
    await signedIn(page)
    expect(await focused()).toBe('Your account')
  })

  it('have labels and one main landmark, and load only their own files', async () => {
    const page = await visit.newPage()
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    const response = await page.goto(`${visit.platform.consoleUrl}/sign-in`)
    await titled(page, 'Sign in')
    const others = asked.filter((url) => !url.startsWith(`${visit.platform.consoleUrl}/`))
    expect(others.filter((url) => !url.startsWith(visit.platform.urls.auth))).toEqual([])
    const policy = response?.headers()['content-security-policy'] ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toContain('unsafe-inline')
    expect(policy).not.toContain("'unsafe-eval'")
    expect(response?.headers()).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' })
    expect(await page.getByRole('main').count()).toBe(1)
    for (const field of await page.locator('input').all())
      expect(await field.evaluate((element) => (element as HTMLInputElement).labels?.length)).toBe(1)
    const script = asked.find((url) => /\/assets\/.*\.js$/.test(url)) ?? ''
    expect((await fetch(script)).headers.get('cache-control')).toContain('immutable')
  })

  it('say how long to wait after too many attempts', async () => {
    const { page } = await openConsole(visit)
    const url = `${visit.platform.urls.auth}/api/auth/passkey/authenticate`
    const attempt = async () => (await page.request.post(url, { data: { step: 'options' } })).status()
    await expect.poll(attempt, { interval: 0, timeout: 30_000 }).toBe(429)
    await page.getByLabel('User name or e-mail address').fill(freshName())
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
    await press(page, 'Sign in')
    const told = page.getByRole('status').getByText(/^Too many attempts\. Try again in \d+ seconds?\.$/)
    await told.waitFor()
    await keepScreenshot(page, 'console-too-many')
    expect(await accessibilityFaults(page)).toEqual([])
  })

  it('say that a part of the console could not be loaded', async () => {
    const { page } = await openConsole(visit)
    await page.route('**/assets/create-account-page-*.js', (route) => route.abort())
    await follow(page, 'Create an account')
    await titled(page, 'This page could not be loaded')
    expect(await accessibilityFaults(page)).toEqual([])
  })

  it('have addresses: the back button and a reload lead where they say', async () => {
    const { page } = await openConsole(visit)
    await follow(page, 'Create an account')
    await titled(page, 'Create an account')
    expect(await page.title()).toBe('Create an account')
    await page.reload()
    await titled(page, 'Create an account')
    await page.goBack()
    await titled(page, 'Sign in')
    await page.goto(`${visit.platform.consoleUrl}/account`)
    await titled(page, 'Sign in')
    await page.goto(`${visit.platform.consoleUrl}/nothing-here`)
    await titled(page, 'Page not found')
  })
})

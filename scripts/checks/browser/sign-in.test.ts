import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addAuthenticator, faintParts, keepScreenshot, Visit } from './browser.fixture.ts'

let begun: Visit | undefined
let visit: Visit

beforeAll(async () => {
  begun = await Visit.begin()
  visit = begun
})
afterAll(() => begun?.end())

let people = 0
const freshName = () => {
  people += 1
  return `person-${people}`
}

async function open(options: Parameters<Visit['newPage']>[0] = {}): Promise<Page> {
  const page = await visit.newPage(options)
  page.setDefaultTimeout(30_000)
  await page.goto(`${visit.platform.urls.auth}/sign-in`)
  return page
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const status = (page: Page) => page.getByRole('status')
const secretOf = (page: Page) => page.locator('#secret').textContent()

async function fill(page: Page, name: string, password: string): Promise<void> {
  await page.getByLabel('User name or e-mail address').fill(name)
  await page.getByLabel('Password', { exact: true }).fill(password)
}
const signedIn = (page: Page) => page.getByRole('heading', { name: 'You are signed in' }).waitFor()
async function signOut(page: Page): Promise<void> {
  await button(page, 'Sign out').click()
  await status(page).getByText('You are signed out').waitFor()
}

describe('a password in a browser', () => {
  it('creates an account, signs in again, and unlocks what this device keeps', async () => {
    const page = await open()
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    const sent: string[] = []
    page.on('request', (request) => sent.push(request.postData() ?? ''))
    const name = freshName()
    await fill(page, name, 'correct horse battery')
    await button(page, 'Create an account').click()
    await signedIn(page)
    const [, made] = /^made, ([0-9a-f]{8})$/.exec((await secretOf(page)) ?? '') ?? []
    expect(made).toBeDefined()
    await keepScreenshot(page, 'sign-in-account')
    await signOut(page)
    await fill(page, name.toUpperCase(), 'correct horse battery')
    await button(page, 'Sign in').click()
    await signedIn(page)
    expect(await secretOf(page)).toBe(`unlocked, ${made}`)
    expect(sent.some((body) => body.includes('finishLoginRequest'))).toBe(true)
    // The second login presents this device as known.
    const logins = sent.filter((body) => body.includes('startLoginRequest'))
    expect(logins.map((body) => body.includes('knownDevice'))).toEqual([false, true])
    expect(sent.filter((body) => body.includes('correct horse'))).toEqual([])
    expect(complaints).toEqual([])
  })

  it('is refused if wrong, like one for an unknown name', async () => {
    const page = await open()
    const name = freshName()
    await fill(page, name, 'correct horse battery')
    await button(page, 'Create an account').click()
    await signedIn(page)
    await signOut(page)
    for (const attempt of [name, 'nobody-has-this']) {
      await fill(page, attempt, 'wrong')
      await button(page, 'Sign in').click()
      await status(page).getByText('The sign-in was not accepted').waitFor()
    }
    await keepScreenshot(page, 'sign-in-refused')
    await fill(page, name, 'another password')
    await button(page, 'Create an account').click()
    await status(page).getByText('That name cannot be used; choose another').waitFor()
  })
})

describe('a passkey in a browser', () => {
  it('creates an account, signs in, and wraps with the PRF, which is never sent', async () => {
    const page = await open()
    const { cdp, authenticatorId } = await addAuthenticator(page)
    const sent: string[] = []
    page.on('request', (request) => sent.push(request.postData() ?? ''))
    await button(page, 'Create an account with a passkey').click()
    await signedIn(page)
    const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
    expect(credentials).toMatchObject([{ rpId: 'localhost', isResidentCredential: true }])
    await signOut(page)
    await button(page, 'Sign in with a passkey').click()
    await signedIn(page)
    const [, made] = /^made, ([0-9a-f]{8})$/.exec((await secretOf(page)) ?? '') ?? []
    expect(made).toBeDefined()
    await signOut(page)
    await button(page, 'Sign in with a passkey').click()
    await signedIn(page)
    expect(await secretOf(page)).toBe(`unlocked, ${made}`)
    const verifying = sent.filter((body) => body.includes('"verify"'))
    expect(verifying).toHaveLength(3)
    expect(verifying.filter((body) => body.includes('results'))).toEqual([])
  })

  it('is offered by autofill when the page opens, and signs in without a prompt', async () => {
    const page = await open()
    await addAuthenticator(page)
    await button(page, 'Create an account with a passkey').click()
    await signedIn(page)
    const account = await page.locator('#account').textContent()
    await signOut(page)
    await page.addInitScript(() => {
      const get = navigator.credentials.get.bind(navigator.credentials)
      navigator.credentials.get = (options) => {
        document.documentElement.dataset['mediation'] = options?.mediation ?? 'a prompt'
        return get(options)
      }
    })
    await page.reload()
    // No user action is needed: the browser picks the virtual authenticator.
    await signedIn(page)
    expect(await page.locator('#account').textContent()).toBe(account)
    expect(await secretOf(page)).toMatch(/^made, [0-9a-f]{8}$/)
    expect(await page.locator('html').getAttribute('data-mediation')).toBe('conditional')
  })

  it('gets a new challenge when the page stays open, and is not offered after sign-in', async () => {
    const page = await visit.newPage()
    page.setDefaultTimeout(30_000)
    await page.clock.install()
    const challenges: string[] = []
    page.on('request', (request) => request.url().endsWith('/passkey/authenticate') && challenges.push(request.url()))
    const offered = () => page.waitForResponse((response) => response.url().endsWith('/passkey/authenticate'))
    const first = offered()
    await page.goto(`${visit.platform.urls.auth}/sign-in`)
    await first
    const second = offered()
    await page.clock.fastForward(101_000)
    await second
    await fill(page, freshName(), 'correct horse battery')
    await button(page, 'Create an account').click()
    await signedIn(page)
    await page.clock.fastForward(301_000)
    await signOut(page)
    expect(challenges).toHaveLength(2)
  })

  it('is added to a password account, renamed, and removed', async () => {
    const page = await open()
    await addAuthenticator(page)
    await fill(page, freshName(), 'correct horse battery')
    await button(page, 'Create an account').click()
    await signedIn(page)
    await button(page, 'Add a passkey').click()
    await status(page).getByText('The passkey was added').waitFor()
    page.once('dialog', (dialog) => void dialog.accept('Laptop <b>'))
    await button(page, 'Rename Another passkey').click()
    await status(page).getByText('Renamed').waitFor()
    expect(await page.locator('#passkeys li span').allTextContents()).toEqual(['Laptop <b>'])
    await keepScreenshot(page, 'sign-in-passkeys')
    await button(page, 'Remove Laptop <b>').click()
    await status(page).getByText('Removed').waitFor()
    expect(await page.locator('#passkeys li').count()).toBe(0)
  })

  it('is refused if its counter decreases, and the account shows it', async () => {
    const page = await open()
    const { cdp, authenticatorId } = await addAuthenticator(page)
    await button(page, 'Create an account with a passkey').click()
    await signedIn(page)
    const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
    await signOut(page)
    await button(page, 'Sign in with a passkey').click()
    await signedIn(page)
    await signOut(page)
    const [credential] = credentials
    if (!credential) throw new Error('no credential')
    await cdp.send('WebAuthn.clearCredentials', { authenticatorId })
    await cdp.send('WebAuthn.addCredential', { authenticatorId, credential: { ...credential, signCount: 0 } })
    await button(page, 'Sign in with a passkey').click()
    await status(page).getByText('The sign-in was not accepted').waitFor()
  })
})

describe('the sign-in page', () => {
  it.each(['light', 'dark'] as const)(
    'fits 320 pixels, with enough contrast on a %s background',
    async (colorScheme) => {
      const page = await open({ colorScheme, viewport: { width: 320, height: 640 } })
      const looksWell = async () => {
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
        expect(await faintParts(page)).toEqual([])
      }
      await looksWell()
      await keepScreenshot(page, `sign-in-320-${colorScheme}`)
      await fill(page, freshName(), 'correct horse battery')
      await button(page, 'Create an account').click()
      await signedIn(page)
      await button(page, 'Sign out').isEnabled()
      await looksWell()
    },
  )

  it('can be used from the keyboard alone', async () => {
    const page = await open()
    const focused = () => page.evaluate(() => document.activeElement?.id)
    const tab = async () => {
      await page.keyboard.press('Tab')
      return focused()
    }
    expect(await tab()).toBe('identifier')
    await page.keyboard.type(freshName())
    expect(await tab()).toBe('password')
    await page.keyboard.type('correct horse battery')
    expect(await tab()).toBe('log-in')
    expect(await tab()).toBe('register')
    await page.keyboard.press('Enter')
    await signedIn(page)
    expect(await focused()).toBe('in-title')
  })

  it('has labels and one main landmark, and loads only its own files', async () => {
    const page = await visit.newPage()
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    const response = await page.goto(`${visit.platform.urls.auth}/sign-in`)
    expect(asked.filter((path) => !path.startsWith('data:')).toSorted()).toEqual(
      expect.arrayContaining(['/sign-in', '/sign-in.css', '/sign-in.js']),
    )
    const policy = response?.headers()['content-security-policy'] ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toContain('unsafe-inline')
    expect(policy).not.toContain("'unsafe-eval'")
    expect(await page.getByRole('main').count()).toBe(1)
    const ids = await page.locator('[id]').evaluateAll((elements) => elements.map(({ id }) => id))
    expect(ids).toEqual([...new Set(ids)])
    for (const field of await page.locator('input').all()) {
      expect(await field.evaluate((element) => (element as HTMLInputElement).labels?.length)).toBe(1)
    }
  })
})

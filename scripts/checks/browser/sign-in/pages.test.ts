import { afterAll, describe, expect, it } from 'vitest'
import { accessibilityFaults } from '../axe.fixture.ts'
import { faintParts, keepScreenshot, Visit } from '../browser.fixture.ts'
import {
  button,
  createAccount,
  follow,
  freshName,
  openConsole,
  press,
  signedIn,
  titled,
} from '../console-page.fixture.ts'

const visit = await Visit.begin()
afterAll(() => visit.end())

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

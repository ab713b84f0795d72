import { sitePortOf } from '@svc/platform/ports'
import { portOf } from '@svc/platform/workspace'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addAuthenticator, keepScreenshot, Visit } from './browser.fixture.ts'
import { CLIENT_ID, CLIENT_SECRET, LocalProvider } from './local-provider.fixture.ts'
import { BlockSite } from './page-block.fixture.ts'

let begun: Visit | undefined
let visit: Visit
let provider: LocalProvider | undefined
let site: BlockSite

beforeAll(async () => {
  begun = await Visit.beginApart(async (portBase) => {
    const auth = `http://localhost:${portOf('auth', portBase)}`
    provider = await LocalProvider.start([`${auth}/api/auth/google/callback`, `${auth}/api/auth/microsoft/callback`])
    const { issuer } = provider
    site = await BlockSite.open(sitePortOf(portBase))
    const origins = [auth, site.origin]
    return {
      vars: {
        auth: {
          ALLOWED_ORIGINS: origins,
          RP_ORIGINS: origins,
          RETURN_URLS: [`${auth}/sign-in`, `${site.origin}/welcome`],
          GOOGLE_ISSUER: issuer,
          GOOGLE_CLIENT_ID: CLIENT_ID,
          MICROSOFT_ISSUER: issuer,
          MICROSOFT_CLIENT_ID: CLIENT_ID,
        },
      },
      secrets: { auth: { GOOGLE_CLIENT_SECRET: CLIENT_SECRET, MICROSOFT_CLIENT_SECRET: CLIENT_SECRET } },
    }
  })
  visit = begun
})
afterAll(async () => {
  site.close()
  await begun?.end()
  await provider?.stop()
})

const status = (page: Page) => page.getByRole('status')

async function open(): Promise<Page> {
  const page = await visit.newPage()
  page.setDefaultTimeout(30_000)
  await page.goto(`${visit.platform.urls.auth}/sign-in`)
  return page
}

/** Signs in and consents on the provider's pages. */
async function goOn(page: Page, login: string): Promise<void> {
  await authenticate(page, login)
  await agree(page)
}
async function authenticate(page: Page, login: string): Promise<void> {
  await page.locator('input[name=login]').fill(login)
  await page.locator('input[name=password]').fill('any')
  await page.locator('button[type=submit]').click()
}
const agree = (page: Page) => page.getByRole('button', { name: 'Continue' }).click()

async function createAccount(page: Page, name: string): Promise<void> {
  await page.getByLabel('User name or e-mail address').fill(name)
  await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
  await page.getByRole('button', { name: 'Create an account', exact: true }).click()
  await page.getByRole('heading', { name: 'You are signed in' }).waitFor()
}

describe.each([
  { button: 'Continue with Google', name: 'google', welcome: 'Welcome from google, who vouches for your address.' },
  { button: 'Continue with Microsoft', name: 'microsoft', welcome: 'Welcome from microsoft.' },
])('onboarding with $name', ({ button, name, welcome }) => {
  it('redirects there and back, and creates one account', async () => {
    const page = await open()
    const callbacks: string[] = []
    page.on('request', (request) => request.url().includes('/callback?') && callbacks.push(request.url()))
    await page.getByRole('button', { name: button }).click()
    await goOn(page, `new-at-${name}`)
    await status(page).getByText(`${welcome} Now choose how to sign in.`).waitFor()
    expect(page.url()).toBe(`${visit.platform.urls.auth}/sign-in`)
    await keepScreenshot(page, `sign-in-onboarded-${name}`)
    await createAccount(page, `onboarded-by-${name}`)

    // The URL of the callback alone is worthless, even in this very browser.
    expect(callbacks).toHaveLength(1)
    const replayed = await page.goto(callbacks[0] ?? '')
    expect(replayed?.status()).toBe(404)
    expect(await replayed?.json()).toMatchObject({ success: false, error: 'code_unusable' })

    // From another address, because two page loads exceed the rate limit of one.
    const again = await open()
    await again.getByRole('button', { name: button }).click()
    await goOn(again, `new-at-${name}`)
    await status(again).getByText('You have an account already: sign in to it.').waitFor()
  })

  it('is accepted only by the browser that started it; another browser does not invalidate it', async () => {
    const [page, other] = [await open(), await open()]
    await page.getByRole('button', { name: button }).click()
    await authenticate(page, `watched-at-${name}`)
    // Without its cookie, the browser counts as another one. The callback stays unused.
    const [cookie] = (await page.context().cookies()).filter((one) => one.name === '__Host-svc-onboarding')
    if (!cookie) throw new Error('no cookie')
    await page.context().clearCookies({ name: cookie.name })
    await agree(page)
    await page.waitForURL(/\/callback\?/)
    const callback = page.url()
    expect(await page.textContent('body')).toContain('code_unusable')
    expect((await other.goto(callback))?.status()).toBe(404)
    await other.goto(`${visit.platform.urls.auth}/sign-in`)
    await other.getByRole('button', { name: button }).click()
    await other.waitForURL(/\/interaction\//)
    expect((await other.context().cookies()).map((one) => one.name)).toContain(cookie.name)
    expect((await other.goto(callback))?.status()).toBe(404)

    await page.context().addCookies([cookie])
    await page.goto(callback)
    await status(page).getByText(welcome).waitFor()
  })

  it('reports a cancelled sign-in', async () => {
    const page = await open()
    await page.getByRole('button', { name: button }).click()
    await page.getByRole('link', { name: /cancel/i }).click()
    await status(page).getByText('You did not go on there').waitFor()
  })
})

it('the guide to sign-in: its page comes back from the provider, and creates a passkey', async () => {
  const { auth } = visit.platform.urls
  const page = await visit.newPage()
  await addAuthenticator(page)
  const serving = { gaps: { 'http://localhost:8792': auth }, connect: [auth], path: '/welcome' }
  await site.visit(page, 'add-sign-in 2', serving)
  await page.getByRole('button', { name: 'Continue with Google' }).click()
  await goOn(page, 'reader-of-the-guide')
  await status(page).getByText('Welcome', { exact: true }).waitFor()
  expect(page.url()).toBe(`${site.origin}/welcome`)
  await page.getByRole('button', { name: 'Create a passkey' }).click()
  await status(page).getByText('Signed in with a passkey').waitFor()
})

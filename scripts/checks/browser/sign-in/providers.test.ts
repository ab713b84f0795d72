import { sharedAddress } from '@svc/platform/shared-platform'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accessibilityFaults, beyondScreen, PHONE } from '../axe.fixture.ts'
import { addAuthenticator, keepScreenshot, Visit } from '../browser.fixture.ts'
import {
  approve,
  chooseAtProvider,
  fill,
  freshName,
  openConsole,
  press,
  says,
  signedIn,
  titled,
} from '../console-page.fixture.ts'
import { BlockSite } from '../page-block.fixture.ts'

let begun: Visit | undefined
let visit: Visit
let site: BlockSite

beforeAll(async () => {
  begun = await Visit.begin()
  visit = begun
  site = await BlockSite.open(sharedAddress().sitePort)
})
afterAll(async () => {
  site.close()
  await begun?.end()
})

const atProvider = (page: Page) => titled(page, 'Choose an account')
const freshEmail = () => `${freshName()}@example.org`

/** From the page that creates accounts to the page of the provider. */
async function leave(page: Page, label: string): Promise<void> {
  await press(page, `Continue with ${label}`)
  await atProvider(page)
}

describe.each([
  { label: 'Google', name: 'google' },
  { label: 'Microsoft', name: 'microsoft' },
])('onboarding with $label', ({ label, name }) => {
  it('leads there and back, and creates one account', async () => {
    const { page, complaints } = await openConsole(visit, '/create-account')
    const callbacks: string[] = []
    page.on('request', (request) => request.url().includes('/callback?') && callbacks.push(request.url()))
    await leave(page, label)
    const email = freshEmail()
    await chooseAtProvider(page, email)
    await keepScreenshot(page, `console-provider-${name}`)
    await approve(page)
    await titled(page, 'Create an account')
    const note = `You came from ${label}, which has verified your e-mail address. Now choose how you will sign in.`
    await page.getByText(note, { exact: true }).waitFor()
    expect(page.url()).toBe(`${visit.platform.consoleUrl}/create-account`)
    await keepScreenshot(page, `console-onboarded-${name}`)
    await fill(page, freshName())
    await press(page, 'Create with a password')
    await signedIn(page)
    expect(complaints).toEqual([])

    // The URL of the callback alone is worthless, even in this very browser.
    expect(callbacks).toHaveLength(1)
    const replayed = await page.goto(callbacks[0] ?? '')
    expect(replayed?.status()).toBe(404)
    expect(await replayed?.json()).toMatchObject({ success: false, error: 'code_unusable' })

    // From another address, because two page loads exceed the rate limit of one.
    const { page: again } = await openConsole(visit, '/create-account')
    await leave(again, label)
    await chooseAtProvider(again, email.toUpperCase())
    await approve(again)
    await titled(again, 'Recover your account')
  })

  it('says so where the provider has not verified the address', async () => {
    const { page } = await openConsole(visit, '/create-account')
    await leave(page, label)
    await chooseAtProvider(page, freshEmail(), false)
    await approve(page)
    await page.getByText(`You came from ${label}. Now choose how you will sign in.`, { exact: true }).waitFor()
  })

  it('is accepted only by the browser that started it; another browser does not invalidate it', async () => {
    const [{ page }, { page: other }] = [
      await openConsole(visit, '/create-account'),
      await openConsole(visit, '/create-account'),
    ]
    await leave(page, label)
    await chooseAtProvider(page, freshEmail())
    // Without its cookie, the browser counts as another one. The callback stays unused.
    const [cookie] = (await page.context().cookies()).filter((one) => one.name === '__Host-svc-onboarding')
    if (!cookie) throw new Error('no cookie')
    await page.context().clearCookies({ name: cookie.name })
    await approve(page)
    await page.waitForURL(/\/callback\?/)
    const callback = page.url()
    expect(await page.textContent('body')).toContain('code_unusable')
    expect((await other.goto(callback))?.status()).toBe(404)
    await other.goto(`${visit.platform.consoleUrl}/create-account`)
    await leave(other, label)
    expect((await other.context().cookies()).map((one) => one.name)).toContain(cookie.name)
    expect((await other.goto(callback))?.status()).toBe(404)

    await page.context().addCookies([cookie])
    await page.goto(callback)
    await page.getByText(`You came from ${label}`).waitFor()
  })

  it('reports a cancelled sign-in', async () => {
    const { page } = await openConsole(visit, '/create-account')
    await leave(page, label)
    await press(page, 'Cancel')
    await says(page, 'You cancelled at the provider. Choose another way, or try again.')
  })
})

describe('the page that stands in for a provider', () => {
  it('asks again where the address is missing, and knows some people', async () => {
    const { page } = await openConsole(visit, '/create-account')
    await leave(page, 'Google')
    await page.getByRole('radio', { name: 'Someone else' }).check()
    await approve(page)
    await page.getByRole('alert').getByText('Enter an e-mail address, such as maria@example.org.').waitFor()
    await page.getByRole('radio', { name: 'Alan Turing' }).check()
    await approve(page)
    await page.getByText('You came from Google').waitFor()
  })

  it.each(['light', 'dark'] as const)('is accessible in %s, on a phone', async (colorScheme) => {
    const { page, complaints } = await openConsole(visit, '/create-account', { colorScheme, viewport: PHONE })
    await leave(page, 'Microsoft')
    expect(await beyondScreen(page)).toBe(0)
    await page.getByText('Nothing is sent to Microsoft').waitFor()
    await keepScreenshot(page, `console-provider-390-${colorScheme}`)
    expect(complaints).toEqual([])
    expect(await accessibilityFaults(page)).toEqual([])
  })

  it('says what it is', async () => {
    const page = await visit.newPage()
    await page.goto(visit.platform.identityProviderUrl)
    await titled(page, 'Identity providers on this machine')
    const { issuer } = (await (
      await fetch(`${visit.platform.identityProviderUrl}/google/.well-known/openid-configuration`)
    ).json()) as { issuer: string }
    expect(issuer).toBe(`${visit.platform.identityProviderUrl}/google`)
  })
})

it('the guide to sign-in: its page comes back from the provider, and creates a passkey', async () => {
  const { auth } = visit.platform.urls
  const page = await visit.newPage()
  await addAuthenticator(page)
  const serving = { gaps: { 'http://localhost:8792': auth }, connect: [auth], path: '/welcome' }
  await site.visit(page, 'add-sign-in 2', serving)
  await press(page, 'Continue with Google')
  await chooseAtProvider(page, freshEmail())
  await approve(page)
  await says(page, 'Welcome')
  expect(page.url()).toBe(`${site.origin}/welcome`)
  await press(page, 'Create a passkey')
  await says(page, 'Signed in with a passkey')
})

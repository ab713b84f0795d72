import type { Page } from 'playwright-core'
import { afterAll, expect, it } from 'vitest'
import { addAuthenticator, Visit } from '../browser.fixture.ts'
import { createAccount, freshName, openConsole, press, titled } from '../console-page.fixture.ts'
import { check, openVerifier } from './verify-page.fixture.ts'

const visit = await Visit.begin()
afterAll(() => visit.end())

/** As browsers do that block storage for a page: every way to it throws. */
const blockStorage = (page: Page) =>
  page.addInitScript(() => {
    const refuse = {
      configurable: true,
      get() {
        throw new DOMException('Access is denied for this document.', 'SecurityError')
      },
    }
    for (const name of ['localStorage', 'sessionStorage', 'caches']) Object.defineProperty(window, name, refuse)
    IDBFactory.prototype.open = () => {
      throw new DOMException('Access is denied for this document.', 'SecurityError')
    }
    IDBFactory.prototype.databases = () =>
      Promise.reject(new DOMException('Access is denied for this document.', 'SecurityError'))
  })

const ANY_DID = `did:svc:${'A'.repeat(32)}`
const headline = (page: Page) => page.getByRole('heading', { level: 2 })

it('a browser that blocks storage verifies, signs in, and says why it makes no identity', async () => {
  const page = await visit.newPage()
  const faults: string[] = []
  page.on('pageerror', ({ message }) => faults.push(message))
  await blockStorage(page)
  await page.goto(`${visit.platform.consoleUrl}/verify/`)
  await check(page, ANY_DID)
  await headline(page).waitFor()
  expect(await page.locator('article').innerText()).not.toContain('Something went wrong')

  await page.goto(`${visit.platform.consoleUrl}/sign-in`)
  await titled(page, 'Sign in')
  await createAccount(page, freshName())

  await page.goto(visit.platform.consoleUrl)
  await press(page, 'Create an identity')
  await titled(page, 'Protect the root key')
  for (const label of ['Passphrase', 'The same again'])
    await page.getByLabel(label, { exact: true }).fill('correct horse battery staple')
  await press(page, 'Use this passphrase')
  await page.getByRole('status').getByText('This browser does not let this page keep anything').waitFor()
  expect(faults).toEqual([])
})

it('a page whose files are gone says so and offers to reload, and works after that', async () => {
  const { page } = await openVerifier(visit)
  const gone = /\/assets\/checked-[\da-f]+\.js$/
  await page
    .context()
    .route(gone, (route) => route.fulfill({ status: 404, contentType: 'text/plain', body: 'Not found' }))
  await check(page, ANY_DID)
  const alert = page.getByRole('alert').filter({ hasText: 'There is a new version, or no connection.' })
  await alert.waitFor()
  expect(await page.getByText('Checking…').count()).toBe(0)
  await page.context().unroute(gone)
  await alert.getByRole('button', { name: 'Reload the page' }).click()
  await page.getByRole('heading', { level: 1, name: 'Verify' }).waitFor()
  await check(page, ANY_DID)
  await headline(page).waitFor()
})

it('a page translator leaves what is written down as it is, and sees each result anew', async () => {
  const { page } = await openConsole(visit, '/')
  await addAuthenticator(page)
  await press(page, 'Create an identity')
  await titled(page, 'Protect the root key')
  await press(page, 'Use a passkey')
  await titled(page, 'Write down your recovery words')
  const recoveryWords = page.locator('.word-list li')
  expect(await recoveryWords.count()).toBeGreaterThan(20)
  expect(await page.locator('.word-list li > [translate=no]').count()).toBe(await recoveryWords.count())

  await page.goto(`${visit.platform.consoleUrl}/verify/`)
  await check(page, ANY_DID)
  await headline(page).waitFor()
  expect(await page.locator('article [translate=no]').allTextContents()).toContain(`svc verify ${ANY_DID}`)
  // What a translator does: it takes the text away, and puts another element in its place.
  await headline(page).evaluate((heading) => {
    heading.replaceChildren(Object.assign(document.createElement('font'), { textContent: 'Übersetzt' }))
  })
  const hash = 'ab'.repeat(48)
  await check(page, hash)
  await page.locator('article .command').getByText(`svc verify ${hash}`).waitFor()
  await headline(page).filter({ hasNotText: 'Übersetzt' }).waitFor()
})

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { faintParts, keepScreenshot, Visit } from './browser.fixture.ts'

let begun: Visit | undefined
let visit: Visit

beforeAll(async () => {
  begun = await Visit.begin()
  visit = begun
})
afterAll(() => begun?.end())

const LOOKS = [
  { look: 'light', colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  { look: 'dark', colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
  { look: 'phone', colorScheme: 'light', viewport: { width: 390, height: 844 } },
  { look: 'dark-phone', colorScheme: 'dark', viewport: { width: 390, height: 844 } },
] as const
const PATHS = ['/', '/developer/core', '/developer/sdk', '/developer/limits', '/academic/protocol']
const name = (path: string) => `docs-${path.slice(1).replaceAll('/', '-') || 'home'}`

/** The failed requests and errors of the page, including policy violations. */
async function open(path: string, options: Parameters<Visit['newPage']>[0]): Promise<{ page: Page; faults: string[] }> {
  const page = await visit.newPage(options)
  page.setDefaultTimeout(30_000)
  const faults: string[] = []
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('requestfailed', (request) => faults.push(request.url()))
  await page.goto(visit.platform.urls.docs + path)
  return { page, faults }
}

const widthBeyondScreen = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

describe.each(LOOKS)('with $look colors', ({ look, ...options }) => {
  it.each(PATHS)('%s is readable', async (path) => {
    const { page, faults } = await open(path, options)
    expect(await widthBeyondScreen(page)).toBe(0)
    expect(await faintParts(page)).toEqual([])
    expect(faults).toEqual([])
    await keepScreenshot(page, `${name(path)}-${look}`)
  })

  it('shows the routes of a service', async () => {
    const { page, faults } = await open('/developer/api-pay', options)
    await page.locator('.opblock').first().waitFor()
    expect(await page.locator('.opblock').count()).toBeGreaterThan(15)
    expect(await page.getByRole('button', { name: 'Try it out' }).count()).toBe(0)
    expect(await widthBeyondScreen(page)).toBe(0)
    expect(faults).toEqual([])
    await keepScreenshot(page, `docs-api-pay-${look}`)
  })
})

it('the SDK reference works under the policy of the host', async () => {
  const { page, faults } = await open('/developer/sdk', {})
  await page.getByRole('navigation', { name: 'Contents' }).getByRole('link', { name: 'SDK reference' }).click()
  await page.getByRole('link', { name: 'client/src/verify' }).first().click()
  expect(new URL(page.url()).pathname).toBe('/sdk/modules/client_src_verify.html')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByRole('combobox', { name: 'Search' }).fill('LogAuditor')
  await page.locator('#tsd-search-results').getByRole('option').first().click()
  await page.getByRole('heading', { level: 1, name: 'LogAuditor' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/sdk/classes/client_src_audit.LogAuditor.html')
  expect(faults).toEqual([])
})

it('an unknown address shows an error page with links', async () => {
  const { page } = await open('/developer/no-such-page', {})
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('No such page')
  expect(await widthBeyondScreen(page)).toBe(0)
  expect(await faintParts(page)).toEqual([])
  await keepScreenshot(page, 'docs-no-such-page')
  await page.getByRole('navigation', { name: 'Contents' }).getByRole('link', { name: 'First client' }).click()
  expect(new URL(page.url()).pathname).toBe('/developer/first-client')
})

describe('with the keyboard', () => {
  it('the first tab stop skips to the content', async () => {
    const { page } = await open('/developer/core', {})
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(new URL(page.url()).hash).toBe('#main')
  })

  it('every heading has a link target', async () => {
    const { page } = await open('/developer/core', {})
    const link = page.getByRole('navigation', { name: 'On this page' }).getByRole('link').last()
    await link.press('Enter')
    const target = page.locator(new URL(page.url()).hash)
    expect(await target.textContent()).toBe(await link.textContent())
  })

  it('the contents mark the current page', async () => {
    const { page } = await open('/developer/core', {})
    expect(await page.locator('[aria-current=page]').textContent()).toBe('Core')
  })
})

import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { accessibilityFaults } from './axe.fixture.ts'
import { faintParts, keepScreenshot, Visit } from './browser.fixture.ts'

const visit = await Visit.begin()
afterAll(() => visit.end())

const LOOKS = [
  { look: 'light', colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  { look: 'dark', colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
  { look: 'phone', colorScheme: 'light', viewport: { width: 390, height: 844 } },
  { look: 'dark-phone', colorScheme: 'dark', viewport: { width: 390, height: 844 } },
] as const
const PATHS = [
  '/',
  '/developer/core',
  '/developer/sdk',
  '/developer/limits',
  '/developer/api-pay',
  '/developer/api-core',
  '/developer/api-core-notes',
  '/academic/protocol',
]
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
})

it('an unknown address shows an error page with links', async () => {
  const { page } = await open('/developer/no-such-page', {})
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('No such page')
  expect(await widthBeyondScreen(page)).toBe(0)
  expect(await faintParts(page)).toEqual([])
  expect(await accessibilityFaults(page)).toEqual([])
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

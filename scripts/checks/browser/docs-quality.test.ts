import { gzipSync } from 'node:zlib'
import { htmlBudget } from '@svc/site/page-budgets'
import { listPages } from '@svc/site/sources'
import type { Page, Response } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { accessibilityFaults, beyondScreen, DESKTOP, PHONE } from './axe.fixture.ts'
import { Visit } from './browser.fixture.ts'

/** What a reader waits for, compressed with gzip, in bytes. */
const BUDGETS = { css: 18_000, js: 12_000, requests: 12, firstSearch: 200_000 }

const visit = await Visit.begin()
afterAll(() => visit.end())

/** Every page that is made from Markdown or from an OpenAPI document, and the lists of them. */
const PATHS = ['/', '/developer', '/academic', ...listPages().map(({ section, slug }) => `/${section}/${slug}`)]

interface Loaded {
  readonly url: string
  readonly type: string
  readonly bytes: number
}

/** As a compressing edge sends it. */
const bytesOf = async (response: Response): Promise<number> => gzipSync(await response.body()).length

/**
 * A page of a new visitor, with everything that it loaded and complained about. The network of a page on a busy machine is
 * idle before it has asked for its style sheet; what a page needs has arrived once it is loaded.
 */
async function opened(path: string): Promise<{ page: Page; loaded: Loaded[]; faults: string[] }> {
  const page = await visit.newPage({ viewport: DESKTOP, colorScheme: 'light' })
  const faults: string[] = []
  const answers: Promise<Loaded>[] = []
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && faults.push(message.text()))
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('requestfailed', (request) => faults.push(request.url()))
  const listen = (response: Response) => {
    const type = response.headers()['content-type']?.split(';')[0] ?? ''
    answers.push(bytesOf(response).then((bytes) => ({ url: response.url(), type, bytes })))
  }
  page.on('response', listen)
  await page.goto(visit.platform.urls.docs + path)
  await page.waitForLoadState('networkidle')
  page.off('response', listen)
  return { page, loaded: await Promise.all(answers), faults }
}

const sizeOf = (loaded: readonly Loaded[], type: string) =>
  loaded.filter((one) => one.type === type).reduce((sum, { bytes }) => sum + bytes, 0)

const FAULTLESS = { desk: [], phone: [], wider: 0 }

async function faultsInEveryLook(page: Page): Promise<Readonly<Record<keyof typeof FAULTLESS, unknown>>> {
  const desk = await accessibilityFaults(page)
  await page.setViewportSize(PHONE)
  const phone = await accessibilityFaults(page, ['scrollable-region-focusable', 'target-size', 'color-contrast'])
  return { desk, phone, wider: await beyondScreen(page) }
}

describe('every page', () => {
  // Several at a time, because a page waits more than it computes.
  it.concurrent.each(PATHS)(
    '%s is accessible, stays in its budget, and breaks no policy',
    async (path) => {
      const { page, loaded, faults } = await opened(path)
      const looks = await faultsInEveryLook(page)
      await page.context().close()
      expect({ faults, ...looks }).toEqual({ faults: [], ...FAULTLESS })
      for (const type of ['text/html', 'text/css', 'text/javascript'])
        expect(sizeOf(loaded, type), type).toBeGreaterThan(0)
      expect(sizeOf(loaded, 'text/html')).toBeLessThan(htmlBudget(path))
      expect(sizeOf(loaded, 'text/css')).toBeLessThan(BUDGETS.css)
      expect(sizeOf(loaded, 'text/javascript')).toBeLessThan(BUDGETS.js)
      expect(loaded.length).toBeLessThanOrEqual(BUDGETS.requests)
    },
    300_000,
  )
})

it.each([
  '/sdk',
  '/sdk/modules/_svc_client.html',
  '/sdk/classes/_svc_client.Client.html',
  '/sdk/functions/_svc_client_verify.verifyChain.html',
  '/sdk/interfaces/_svc_client.ClientOptions.html',
])('%s of the SDK reference is accessible, and breaks no policy', async (path) => {
  const { page, faults } = await opened(path)
  const looks = await faultsInEveryLook(page)
  await page.context().close()
  expect({ faults, ...looks }).toEqual({ faults: [], ...FAULTLESS })
})

describe('on the kinds of pages that people meet first', () => {
  const FIRST = [
    '/',
    '/developer/quickstart',
    '/developer/prove-what-you-made',
    '/developer/chain',
    '/developer/api-core-chain',
  ]

  it.each(FIRST)('%s can be found, and does not move while it loads', async (path) => {
    const { page } = await opened(path)
    const facts = await page.evaluate(async () => {
      const content = (selector: string) => document.querySelector(selector)?.getAttribute('content') ?? ''
      const shift = await new Promise<number>((resolve) => {
        let sum = 0
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) sum += (entry as unknown as { value: number }).value
        }).observe({ type: 'layout-shift', buffered: true })
        setTimeout(() => resolve(sum), 300)
      })
      return {
        shift,
        lang: document.documentElement.lang,
        title: document.title.length,
        description: content('meta[name=description]').length,
        viewport: content('meta[name=viewport]'),
        canonical: document.querySelector<HTMLLinkElement>('link[rel=canonical]')?.href ?? '',
        image: content('meta[property="og:image"]'),
        robots: content('meta[name=robots]'),
        sizeless: [...document.images].filter(({ width, height }) => width === 0 || height === 0).length,
      }
    })
    expect(facts).toMatchObject({ lang: 'en', robots: '', sizeless: 0, canonical: visit.platform.urls.docs + path })
    expect(facts.shift).toBeLessThan(0.02)
    expect(facts.title).toBeLessThanOrEqual(70)
    expect(facts.description).toBeGreaterThan(50)
    const card = await fetch(facts.image)
    expect([card.status, card.headers.get('content-type')]).toEqual([200, 'image/png'])
    await page.context().close()
  })

  it('a link to the middle of a long page leads there', async () => {
    const { page } = await opened('/developer/api-core-chain#get-api-chain-blocks')
    const top = () => page.evaluate(() => document.querySelector(':target')?.getBoundingClientRect().top ?? -1)
    await expect.poll(top).toBeGreaterThanOrEqual(0)
    expect(await top()).toBeLessThan(200)
    await page.context().close()
  })
})

describe('what scripts add', () => {
  it('search opens with a key, loads little, finds, and leads there', async () => {
    const { page, loaded } = await opened('/developer/chain')
    const before = loaded.length
    const answers: Loaded[] = []
    page.on('response', (response) => {
      const answer = bytesOf(response).then((bytes) => void answers.push({ url: response.url(), type: '', bytes }))
      // Of what is asked for when the search leads to another page, nothing is left to measure.
      answer.catch(() => {})
    })
    await page.keyboard.press('/')
    const field = page.getByRole('searchbox')
    await field.waitFor()
    await field.fill('prekeys')
    await page.getByRole('dialog').getByRole('link').first().waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    expect(answers.length).toBeGreaterThan(0)
    expect(answers.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(BUDGETS.firstSearch)
    expect(before + answers.length).toBeLessThanOrEqual(BUDGETS.requests + 2)
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/developer\/(keys|concept-key-directory)/)
    await page.context().close()
  })

  it('a choice of dark holds on the next page', async () => {
    const { page } = await opened('/developer/chain')
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const light = await ground()
    await page.getByRole('button', { name: 'Dark colors' }).click()
    const dark = await ground()
    expect(dark).not.toBe(light)
    await page.goto(`${visit.platform.urls.docs}/developer/notes`)
    expect(await ground()).toBe(dark)
    await page.context().close()
  })

  it('code can be copied', async () => {
    const { page } = await opened('/')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy' }).first().click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(copied).toContain("from '@svc/client'")
    await page.context().close()
  })

  it('languages are tabs, by keyboard too, and the choice holds', async () => {
    const { page } = await opened('/developer/api-consent')
    const tabs = page.getByRole('tablist').first().getByRole('tab')
    const names = await tabs.allTextContents()
    expect(names.length).toBeGreaterThan(1)
    await tabs.first().press('ArrowRight')
    expect(await tabs.nth(1).getAttribute('aria-selected')).toBe('true')
    expect(await page.getByRole('tabpanel').first().getAttribute('aria-labelledby')).toBe(
      await tabs.nth(1).getAttribute('id'),
    )
    await page.reload()
    expect(await tabs.nth(1).getAttribute('aria-selected')).toBe('true')
    await page.context().close()
  })

  it('on a phone the contents are a drawer that Escape closes', async () => {
    const page = await visit.newPage({ viewport: PHONE })
    await page.goto(`${visit.platform.urls.docs}/developer/chain`)
    const contents = page.getByRole('navigation', { name: 'Contents' })
    expect(await contents.isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Contents' }).click()
    expect(await contents.getByRole('link', { name: 'Chain', exact: true }).isVisible()).toBe(true)
    await page.keyboard.press('Escape')
    expect(await contents.isVisible()).toBe(false)
    await page.context().close()
  })
})

it('without scripts a page has all of its text, and nothing that does nothing', async () => {
  const page = await visit.newPage({ javaScriptEnabled: false })
  await page.goto(`${visit.platform.urls.docs}/developer/api-consent`)
  expect(await page.locator('.variant').first().isVisible()).toBe(true)
  expect(await page.getByRole('button', { name: 'Search' }).isVisible()).toBe(false)
  expect(await page.getByRole('navigation', { name: 'Contents' }).isVisible()).toBe(true)
  await page.context().close()
})

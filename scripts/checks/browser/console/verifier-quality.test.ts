import { gzipSync } from 'node:zlib'
import type { Page, Response } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { looksWell as pageLooksWell } from '../axe.fixture.ts'
import { keepScreenshot, Visit } from '../browser.fixture.ts'
import { LOOKS } from '../console-page.fixture.ts'
import { type Evidence, makeEvidence } from './evidence.fixture.ts'
import { check, choose, judged, openVerifier, searchRecords } from './verify-page.fixture.ts'

/** Scripts and styles in bytes, compressed with gzip: what the form needs, and Zod, which is measured separately. */
const FIRST_LOAD_BYTES = 15_000
const ZOD_BYTES = 44_000
const ZOD = /\/zod-/

const visit = await Visit.begin()
let made: Evidence
beforeAll(async () => {
  made = await makeEvidence(visit.platform)
})
afterAll(() => visit.end())

const looksWell = (page: Page, name: string) => pageLooksWell(page, `verifier-${name}`)

describe.each(LOOKS)('in $look', ({ look, ...options }) => {
  it('the form and each verdict are accessible, and break no policy', async () => {
    const { page, complaints } = await openVerifier(visit, options)
    await looksWell(page, `form-${look}`)
    await check(page, made.anchor)
    await judged(page, 'Undecided: anchor, the content was not compared')
    await looksWell(page, `valid-${look}`)
    await check(page, { ...made.anchor, record: { ...made.anchor.record, epoch: 'other' } })
    await judged(page, 'Invalid: anchor')
    await looksWell(page, `invalid-${look}`)
    await choose(page, 'new.txt', new TextEncoder().encode('a text that nobody has registered anywhere'), 'text/plain')
    await judged(page, 'Undecided: content')
    await looksWell(page, `unasked-${look}`)
    await searchRecords(page)
    await judged(page, 'Nothing known: content')
    await page.getByText('Options').click()
    await looksWell(page, `unknown-${look}`)
    await check(page, made.exported)
    await page.getByLabel('Passphrase of the export').waitFor()
    await looksWell(page, `locked-${look}`)
    expect(complaints).toEqual([])
  })
})

it('everything can be reached by keyboard, and the verdict takes the focus', async () => {
  const { page } = await openVerifier(visit)
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '')
  const tabTo = async (name: string) => {
    for (let presses = 0; presses < 20; presses++) {
      await page.keyboard.press('Tab')
      if ((await focused()).trim() === name || (await page.evaluate(() => document.activeElement?.id)) === name) return
    }
    throw new Error(`Tab does not reach ${name}`)
  }
  await tabTo('Choose a file')
  await tabTo('typed')
  await page.keyboard.insertText(made.did)
  await tabTo('Options')
  await tabTo('Check')
  await page.keyboard.press('Enter')
  await judged(page, 'Valid: identity')
  expect(await focused()).toBe('Valid: identity')
  await tabTo('Print')
})

it('prints the verdict without the form', async () => {
  const { page } = await openVerifier(visit)
  await check(page, made.proof)
  await judged(page, 'Undecided: registration, the content was not compared')
  await page.emulateMedia({ media: 'print' })
  expect(await page.getByRole('button', { name: 'Check' }).isVisible()).toBe(false)
  expect(await page.getByRole('navigation').isVisible()).toBe(false)
  expect(await page.getByText('What is not proved').isVisible()).toBe(true)
  await keepScreenshot(page, 'verifier-print')
})

/** The code that judges a signer (its key, its standing, and what replaced it) is some 16 kB. A chain needs none of it. */
const USES: readonly [of: string, what: (evidence: Evidence) => unknown, verdict: string, bytes: number][] = [
  ['an identity', ({ did }) => did, 'Valid: identity', 105_000],
  ['an anchor', ({ anchor }) => anchor, 'Undecided: anchor, the content was not compared', 106_000],
  ['a registration', ({ proof }) => proof, 'Undecided: registration, the content was not compared', 104_000],
  ['a chain', ({ chain }) => chain, 'Valid: chain', 78_000],
]

it.each(USES)('the first load and the check of %s stay in their budgets', async (_, what, verdict, bytes) => {
  const page = await visit.newPage()
  const sizes = new Map<string, Promise<number>>()
  page.on('response', (response: Response) => {
    const { pathname } = new URL(response.url())
    const isOfPage = /\.(js|css)$/.test(pathname) && response.request().serviceWorker() === null
    if (isOfPage)
      sizes.set(
        pathname,
        response.body().then((body) => gzipSync(body).length),
      )
  })
  const total = async (isCounted: (path: string) => boolean = () => true) => {
    const counted = [...sizes].filter(([path]) => isCounted(path)).map(([, size]) => size)
    return (await Promise.all(counted)).reduce((sum, size) => sum + size, 0)
  }
  await page.goto(`${visit.platform.consoleUrl}/verify/`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  const first = await total()
  expect(first).toBeGreaterThan(5_000)
  expect(first).toBeLessThan(FIRST_LOAD_BYTES)
  await check(page, what(made))
  await judged(page, verdict)
  const zod = await total((path) => ZOD.test(path))
  const onUse = (await total()) - first - zod
  expect(zod).toBeLessThan(ZOD_BYTES)
  expect(onUse).toBeGreaterThan(20_000)
  expect(onUse).toBeLessThan(bytes)
})

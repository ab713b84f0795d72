import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { MIN_AGE_SECONDS } from '../../../workers/core/src/invites/limits.ts'
import { accessibilityFaults } from './axe.fixture.ts'
import { faintParts, keepScreenshot, Visit } from './browser.fixture.ts'

const visit = await Visit.begin()
afterAll(() => visit.end())

const NUMBERS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']
const WITH_AND_WITHOUT = [
  { scripts: 'with-scripts', javaScriptEnabled: true, colorScheme: 'dark' },
  { scripts: 'without-scripts', javaScriptEnabled: false, colorScheme: 'light' },
] as const

async function open(options: Parameters<Visit['newPage']>[0] = {}): Promise<Page> {
  const page = await visit.newPage(options)
  await page.goto(`${visit.platform.urls.core}/invite-request`)
  return page
}

const emailOf = (page: Page) => page.getByRole('textbox', { name: 'E-mail address' })
const nameOf = (page: Page) => page.getByRole('textbox', { name: 'Name' })
const reasonOf = (page: Page) => page.getByRole('textbox', { name: 'What would you like to do?' })
const sendOf = (page: Page) => page.getByRole('button', { name: 'Send the request' })
const questionOf = (page: Page) => page.getByRole('textbox', { name: /^What is \w+ plus \w+\?/ })
const headingOf = (page: Page) => page.getByRole('heading', { level: 1 }).textContent()
const currentStep = (page: Page) =>
  page.getByRole('list', { name: 'Progress' }).locator('[aria-current=step]').textContent()

async function fill(page: Page, email = 'ada@example.org'): Promise<void> {
  await emailOf(page).fill(email)
  await nameOf(page).fill('Ada Lovelace')
  await reasonOf(page).fill('Keep notes on an engine.\nAnd sign them.')
}

/** Answers the arithmetic question, correctly by default, when the page is as old as it has to be. */
async function answer(page: Page, off = 0): Promise<void> {
  await page.waitForTimeout(MIN_AGE_SECONDS * 1000)
  const label = await page.getByText(/^What is \w+ plus \w+\?/).textContent()
  const [, a = '', b = ''] = /What is (\w+) plus (\w+)\?/.exec(label ?? '') ?? []
  await questionOf(page).fill(String(NUMBERS.indexOf(a) + NUMBERS.indexOf(b) + 2 + off))
}

describe.each(WITH_AND_WITHOUT)('the invitation page, $scripts', (visitor) => {
  const { scripts, javaScriptEnabled, colorScheme } = visitor
  const asked = async (page: Page) => (javaScriptEnabled ? undefined : answer(page))

  it('accepts a request and confirms it', async () => {
    const page = await open({ javaScriptEnabled })
    expect(await headingOf(page)).toBe('Request an invitation')
    expect(await currentStep(page)).toBe('1. Your request')
    expect(await questionOf(page).count()).toBe(javaScriptEnabled ? 0 : 1)
    await keepScreenshot(page, `invite-form-${scripts}`)
    await fill(page)
    await asked(page)
    await sendOf(page).click()
    expect(await headingOf(page)).toBe('Your request was received')
    expect(await currentStep(page)).toBe('2. Received')
    expect(await page.getByRole('status').textContent()).toContain('an activation code comes to the address')
    await keepScreenshot(page, `invite-received-${scripts}`)
  })

  it('shows errors, keeps the input, and accepts the corrections', async () => {
    const page = await open({ javaScriptEnabled })
    await emailOf(page).fill('<b>ada</b>')
    await reasonOf(page).fill('"quoted" & <i>marked</i>')
    await sendOf(page).click()
    expect(await page.title()).toBe('There is a problem: Request an invitation')
    expect(await page.getByRole('alert').getByRole('link').allTextContents()).toEqual([
      'Enter an address like name@example.org',
      'Enter your name',
    ])
    expect(await emailOf(page).getAttribute('aria-invalid')).toBe('true')
    expect(await page.getByRole('textbox', { name: 'Name', description: 'Enter your name' }).count()).toBe(1)
    expect(await reasonOf(page).getAttribute('aria-invalid')).toBeNull()
    expect(await emailOf(page).inputValue()).toBe('<b>ada</b>')
    expect(await reasonOf(page).inputValue()).toBe('"quoted" & <i>marked</i>')
    expect(await page.locator('main b, main i').count()).toBe(0)
    await keepScreenshot(page, `invite-errors-${scripts}`)
    await fill(page, 'grace@example.org')
    await asked(page)
    await sendOf(page).click()
    expect(await headingOf(page)).toBe('Your request was received')
  })

  it('works by keyboard alone', async () => {
    const page = await open({ javaScriptEnabled })
    const focused = () => page.evaluate(() => document.activeElement?.id || document.activeElement?.textContent?.trim())
    const tab = async () => {
      await page.keyboard.press('Tab')
      return focused()
    }
    expect(await tab()).toBe('email')
    await page.keyboard.type('no address')
    expect(await tab()).toBe('name')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').evaluate((alert) => alert === document.activeElement)).toBe(true)
    expect(await tab()).toBe('Enter an address like name@example.org')
    await page.keyboard.press('Enter')
    expect(await focused()).toBe('email')
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('keys@example.org')
    await tab()
    await page.keyboard.type('Keyboard User')
    await tab()
    await page.keyboard.type('Press keys.')
    if (!javaScriptEnabled) {
      expect(await tab()).toBe('answer')
      await answer(page)
    }
    expect(await tab()).toBe('Send the request')
    await page.keyboard.press('Space')
    await page.getByRole('status').waitFor()
    expect(await headingOf(page)).toBe('Your request was received')
  })

  it(`fits 320 pixels, with enough contrast on a ${colorScheme} background`, async () => {
    const page = await open({ javaScriptEnabled, colorScheme, viewport: { width: 320, height: 640 } })
    const looksWell = async () => {
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
      expect(await faintParts(page)).toEqual([])
      // axe is a script.
      if (javaScriptEnabled) expect(await accessibilityFaults(page)).toEqual([])
    }
    await looksWell()
    await sendOf(page).click()
    await page.getByRole('alert').waitFor()
    await looksWell()
    await keepScreenshot(page, `invite-errors-320-${colorScheme}`)
    await fill(page)
    await asked(page)
    await sendOf(page).click()
    await page.getByRole('status').waitFor()
    await looksWell()
    await keepScreenshot(page, `invite-received-320-${colorScheme}`)
  })
})

describe('the invitation page', () => {
  it('asks a browser without scripts a question, and checks the answer', async () => {
    const page = await open({ javaScriptEnabled: false })
    const told = () => page.getByRole('alert').getByRole('link').allTextContents()
    await fill(page)
    await answer(page, 1)
    await sendOf(page).click()
    expect(await told()).toEqual(['Please try again: we could not tell that a person sent this'])
    expect(await questionOf(page).getAttribute('aria-invalid')).toBe('true')
    expect(await emailOf(page).inputValue()).toBe('ada@example.org')
    expect(await reasonOf(page).inputValue()).toBe('Keep notes on an engine.\nAnd sign them.')
    await keepScreenshot(page, 'invite-question-wrong')
    await questionOf(page).fill('2')
    await sendOf(page).click()
    expect(await told()).toEqual(['This came as quickly as from a bot: wait three seconds, then send it again'])
    expect(await questionOf(page).inputValue()).toBe('2')
    await answer(page)
    await sendOf(page).click()
    expect(await headingOf(page)).toBe('Your request was received')
  })

  it('has labels, one main landmark and a language, and loads nothing else', async () => {
    const page = await visit.newPage()
    const asked: string[] = []
    const complaints: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    page.on('console', (message) => complaints.push(message.text()))
    const url = `${visit.platform.urls.core}/invite-request`
    await page.goto(url)
    expect(asked).toEqual([url])
    expect(complaints).toEqual([])
    expect(await page.getByRole('main').count()).toBe(1)
    expect(await page.locator('html').getAttribute('lang')).toBe('en')
    const ids = await page.locator('[id]').evaluateAll((elements) => elements.map(({ id }) => id))
    expect(ids).toEqual([...new Set(ids)])
    for (const field of await page.locator('input:not([type=hidden]), textarea').all()) {
      expect(await field.evaluate((element) => (element as HTMLInputElement).labels?.length)).toBe(1)
    }
  })
})

describe('content by its CID', () => {
  it('never executes, as HTML or as SVG', async () => {
    const { gatewayUrl, urls } = visit.platform
    const script = '<script>document.documentElement.dataset.ran = "yes"</script>'
    const image = '<img src="x" onerror="document.documentElement.dataset.ran = \'yes\'">'
    const pages = {
      'text/html; charset=utf-8': `<!doctype html><title>somebody’s</title><p>hello${script}${image}`,
      'image/svg+xml': `<svg xmlns="http://www.w3.org/2000/svg"><text y="20">hello</text>${script}</svg>`,
    }
    for (const [type, source] of Object.entries(pages)) {
      const page = await visit.newPage()
      const added = await fetch(gatewayUrl, { method: 'POST', body: source })
      const response = await page.goto(`${urls.core}/ipfs/${await added.text()}`)
      expect(response?.headers()['content-type']).toBe(type)
      expect(await page.getByText('hello').count()).toBe(1)
      expect(await page.evaluate(() => [document.documentElement.dataset['ran'], self.origin])).toEqual([
        undefined,
        'null',
      ])
    }
  })
})

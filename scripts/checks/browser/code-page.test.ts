import { Client, Identity } from '@svc/client'
import { newCode, sendOperatorAct } from '@svc/operations/operator-act'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { accessibilityFaults } from './axe.fixture.ts'
import { faintParts, keepScreenshot, Visit } from './browser.fixture.ts'

const visit = await Visit.begin()
afterAll(() => visit.end())

/** Requests of this test count for an address of its own. */
const headers = { 'cf-connecting-ip': `2001:db8:${crypto.randomUUID().slice(0, 4)}:c0de::1` }

async function issued(): Promise<string> {
  const { urls, secrets } = visit.platform
  const { code, act } = newCode('atelier', 30)
  const { status } = await sendOperatorAct({ service: urls.pay, realm: urls.core }, secrets.operatorSeed, act, headers)
  expect(status).toBe(200)
  return code
}

async function customer(): Promise<{ client: Client; did: string }> {
  const { core, did } = visit.platform.urls
  const identity = await Identity.create()
  const client = new Client({ core, did, identity, headers })
  await client.chain.genesis()
  return { client, did: identity.did }
}

const codeOf = (page: Page) => page.getByRole('textbox', { name: 'Code' })
const identityOf = (page: Page) => page.getByRole('textbox', { name: 'Identity' })
const sendOf = (page: Page) => page.getByRole('button', { name: 'Redeem the code' })
const headingOf = (page: Page) => page.getByRole('heading', { level: 1 }).textContent()

describe.each([
  { scripts: 'with-scripts', javaScriptEnabled: true, colorScheme: 'dark' },
  { scripts: 'without-scripts', javaScriptEnabled: false, colorScheme: 'light' },
] as const)('the page that takes codes, $scripts', ({ scripts, javaScriptEnabled, colorScheme }) => {
  const open = async (query = '', options: Parameters<Visit['newPage']>[0] = {}) => {
    const page = await visit.newPage({ javaScriptEnabled, ...options })
    await page.goto(`${visit.platform.urls.core}/activation${query}`)
    return page
  }

  it('takes a code that was typed without hyphens, after a mistake, and the tier is there', async () => {
    const [code, { client, did }] = [await issued(), await customer()]
    const page = await open()
    expect(await headingOf(page)).toBe('Redeem a code')
    await codeOf(page).fill(code.slice(0, -1))
    await sendOf(page).click()
    expect(await page.getByRole('alert').getByRole('link').allTextContents()).toEqual([
      'Enter the sixteen letters and digits of your code',
      'Enter an identity like did:svc:u2dFwRsZYJKeRstCWE8IZOByxZqC-5xh',
    ])
    expect(await codeOf(page).getAttribute('aria-invalid')).toBe('true')
    await keepScreenshot(page, `code-errors-${scripts}`)
    await codeOf(page).fill(code.toLowerCase().replaceAll('-', ''))
    await identityOf(page).fill(did)
    await sendOf(page).click()
    expect(await headingOf(page)).toBe('The code was redeemed')
    expect(await page.getByRole('status').textContent()).toContain(`${did} has the tier atelier, until`)
    await keepScreenshot(page, `code-redeemed-${scripts}`)
    expect(await client.account.licence()).toMatchObject({ licensed: true, tier: 'atelier' })
  })

  it('takes a pasted code for the identity that an application filled in, by keyboard alone', async () => {
    const [code, { did }] = [await issued(), await customer()]
    const page = await open(`?did=${did}`)
    expect(await identityOf(page).inputValue()).toBe(did)
    await codeOf(page).focus()
    await page.keyboard.insertText(`  ${code.replaceAll('-', ' ')} `)
    await page.keyboard.press('Enter')
    await page.getByRole('status').waitFor()
    expect(await headingOf(page)).toBe('The code was redeemed')
  })

  it(`fits 320 pixels, with enough contrast on a ${colorScheme} background, and loads nothing else`, async () => {
    const page = await visit.newPage({ javaScriptEnabled, colorScheme, viewport: { width: 320, height: 640 } })
    const [asked, complaints]: [string[], string[]] = [[], []]
    page.on('request', (request) => asked.push(request.url()))
    page.on('console', (message) => complaints.push(message.text()))
    const url = `${visit.platform.urls.core}/activation`
    await page.goto(url)
    for (const part of ['form', 'errors']) {
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
      expect(await faintParts(page)).toEqual([])
      // axe is a script.
      if (javaScriptEnabled) expect(await accessibilityFaults(page)).toEqual([])
      await keepScreenshot(page, `code-${part}-320-${colorScheme}`)
      if (part === 'form') expect([asked, complaints]).toEqual([[url], []])
      await sendOf(page).click()
      await page.getByRole('alert').waitFor()
    }
  })
})

import { Client, Identity } from '@svc/client'
import { hashOf } from '@svc/client/functions'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { freshAddress } from '../../running-platform/fresh-address.ts'
import { Visit } from '../browser.fixture.ts'
import { press, says } from '../console-page.fixture.ts'
import { looksWellInBoth } from './own-browsers.fixture.ts'
import { looksWell, openOwn, panel, TWO_LOOKS } from './own-page.fixture.ts'

const visit = await Visit.begin()
afterAll(() => visit.end())

const TITLE = 'What AI may do with your content'
const headers = { 'cf-connecting-ip': freshAddress() }
const freshUrl = () => `https://photos.example/${crypto.randomUUID()}.jpg`

async function openContent(page: Page, identifier: string): Promise<void> {
  await page.getByLabel('Address of a page, or another identifier').fill(identifier)
  await panel(page, 'Which content?').getByRole('button', { name: 'Open' }).click()
  await panel(page, 'Your declaration').getByText(identifier).waitFor()
}

async function declare(page: Page, preferences: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, choice] of Object.entries(preferences))
    await page.getByLabel(name, { exact: true }).selectOption(choice)
  await press(page, 'Save')
}

describe.each(TWO_LOOKS)('in $look', ({ look, ...options }) => {
  it('declares for an address, shows what to send with it, changes it and takes it back', async () => {
    const { page, complaints } = await openOwn(visit, '/consent', TITLE, options)
    const url = freshUrl()
    await openContent(page, url)
    await page.getByText('Nothing is declared.').waitFor()
    await press(page, 'Save')
    await says(page, 'Choose at least one.')
    await declare(page, { 'AI training': 'Not allowed', 'Search engines': 'Allowed' })
    await says(page, 'Your declaration was saved.')
    await panel(page, 'Your declaration').getByText('Version 1.').waitFor()
    const lines = await panel(page, 'For your own site').locator('pre').allTextContents()
    expect(lines.slice(0, 3)).toEqual([
      'Content-Usage: train-ai=n, search=y\nX-Robots-Tag: noai\nTDM-Reservation: 1',
      '<meta name="robots" content="noai">\n<meta name="tdm-reservation" content="1">',
      `User-agent: *\nContent-Usage: ${new URL(url).pathname} train-ai=n, search=y`,
    ])
    await looksWell(page, `consent-${look}`)

    await declare(page, { 'AI training': 'Allowed' })
    await panel(page, 'Your declaration').getByText('Version 2.').waitFor()
    expect(await panel(page, 'History').getByRole('listitem').count()).toBe(2)
    const reader = await Client.connect({ core: visit.platform.urls.core, headers })
    expect(await reader.consent.history(url)).toMatchObject({ states: [{}, { preferences: { ai_training: 'allow' } }] })
    await panel(page, 'What you have declared').getByText(url).waitFor()

    await press(page, 'Take it back')
    await looksWell(page, `consent-question-${look}`)
    await page.getByRole('dialog').getByRole('button', { name: 'Take it back' }).click()
    await says(page, 'Your declaration was taken back.')
    await panel(page, 'History').getByText('Taken back').waitFor()
    await panel(page, 'What you have declared').getByText('Nothing yet.').waitFor()
    expect(complaints).toEqual([])
  })
})

it('a file is hashed in the browser, and never sent', async () => {
  const { page } = await openOwn(visit, '/consent', TITLE)
  const secret = crypto.randomUUID()
  const sent: string[] = []
  page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`))
  const buffer = Buffer.from(`the only copy ${secret}`)
  await page.getByLabel('Or a file').setInputFiles({ name: 'novel.txt', mimeType: 'text/plain', buffer })
  const identifier = `sha3-384:${await hashOf(buffer)}`
  await panel(page, 'Your declaration').getByText(identifier).waitFor()
  await declare(page, { 'AI training': 'Not allowed' })
  await says(page, 'Your declaration was saved.')
  expect(sent.length).toBeGreaterThan(0)
  expect(sent.filter((request) => request.includes(secret) || request.includes('novel'))).toEqual([])
})

it('what another creator holds can be claimed, and the claim withdrawn', async () => {
  const identity = await Identity.create()
  const holder = await Client.connect({ core: visit.platform.urls.core, identity, headers })
  await holder.chain.genesis()
  const url = freshUrl()
  await holder.consent.publish(url, { ai_training: 'allow' })

  const { page, complaints } = await openOwn(visit, '/consent', TITLE)
  await openContent(page, url)
  await page.getByText('Somebody else declared for this first:').waitFor()
  await page.getByText('They declared: AI training: Allowed.').waitFor()
  await declare(page, { 'AI training': 'Not allowed' })
  await says(page, 'Your declaration was kept as a claim.')
  await panel(page, 'History').getByText('Claimed on').waitFor()
  await looksWellInBoth(page, 'consent-claim')
  await press(page, 'Withdraw the claim')
  await says(page, 'Your claim was withdrawn.')
  await panel(page, 'History').getByText('Claimed on').waitFor({ state: 'detached' })
  expect(complaints).toEqual([])
})

import { Client } from '@svc/client'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { looksWell } from '../axe.fixture.ts'
import { Visit } from '../browser.fixture.ts'
import { LOOKS, openConsole } from '../console-page.fixture.ts'
import { type Evidence, makeEvidence } from './evidence.fixture.ts'

const visit = await Visit.begin()
let made: Evidence
beforeAll(async () => {
  made = await makeEvidence(visit.platform)
})
afterAll(() => visit.end())

const panel = (page: Page, title: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { level: 2, name: title, exact: true }) })

const loaded = (page: Page) => page.getByText('Loading…').first().waitFor({ state: 'detached' })

describe.each(LOOKS)('in $look', ({ look, ...options }) => {
  it('an identity and the logs are accessible, and break no policy', async () => {
    const { page, complaints } = await openConsole(visit, `/did/${made.did}`, options)
    await panel(page, 'Root keys').getByText('Epoch 0').waitFor()
    await panel(page, 'Anchors').getByRole('link').first().waitFor()
    await panel(page, 'What machines may do').getByText('train-ai=n').waitFor()
    await loaded(page)
    await looksWell(page, `identity-${look}`)
    await page.goto(`${visit.platform.consoleUrl}/log`)
    await page.getByText('This is your first visit.').first().waitFor()
    await loaded(page)
    await page.reload()
    await page.getByText('since your last visit').first().waitFor()
    await loaded(page)
    await looksWell(page, `log-${look}`)
    expect(complaints).toEqual([])
  })
})

it('an identity is shown without a key, with what was verified', async () => {
  const { page } = await openConsole(visit, '/did')
  await page.getByLabel('DID').fill('did:svc:short')
  await page.getByRole('button', { name: 'Show' }).click()
  expect(await page.getByRole('alert').textContent()).toContain('A DID of this platform')
  await looksWell(page, 'identity-not-a-did')
  await page.getByLabel('DID').fill(made.did)
  await page.keyboard.press('Enter')
  await panel(page, 'State').getByText('Registered: its document names the current root key.').waitFor()
  await panel(page, 'Root keys').getByText('It was never replaced.').waitFor()
  await panel(page, 'Replacement of the root key').getByText('No replacement was ever requested.').waitFor()
  await panel(page, 'Anchors').getByRole('link', { name: 'Check: verifier' }).click()
  await page.getByRole('heading', { level: 2, name: 'Undecided: anchor, the content was not compared' }).waitFor()
})

it('an identity that is not registered has no document', async () => {
  const { page } = await openConsole(visit, `/did/did:svc:${'A'.repeat(32)}`)
  await panel(page, 'State').getByText('Not registered').waitFor()
  await loaded(page)
  await looksWell(page, 'identity-unregistered')
})

it('the page of the logs proves that everything of the last visit is still there', async () => {
  const { page } = await openConsole(visit, '/log')
  const anchors = panel(page, 'Log of anchors')
  await anchors.getByText('This is your first visit.').waitFor()
  for (const epoch of ['one', 'two']) await made.client.anchors.submit({ root: 'cd'.repeat(48), epoch })
  const { size } = (await made.client.anchors.checkpoint()).statement
  await page.reload()
  await anchors.getByText(/2 entries were added since your last visit/).waitFor()
  expect(await anchors.getByRole('img', { name: `Tree of ${size} entries` }).count()).toBe(1)
  expect(await anchors.locator('.seen').count()).toBeGreaterThan(0)
  expect(await panel(page, 'All logs').getByText('Open', { exact: true }).count()).toBeGreaterThan(1)
  await looksWell(page, 'log-grown')
})

it('the page of the logs and the verifier show the fingerprint to compare', async () => {
  const { discovery } = await Client.connect({ core: visit.platform.urls.core })
  const { page } = await openConsole(visit, '/log')
  await panel(page, 'Fingerprint')
    .getByText(discovery?.fingerprint ?? 'none', { exact: true })
    .waitFor()
  await page.goto(`${visit.platform.consoleUrl}/verify#${made.did}`)
  await page.getByText(discovery?.fingerprint ?? 'none').waitFor()
})

it('the page of the logs says if a log contradicts what it showed', async () => {
  const { page } = await openConsole(visit, '/log')
  await panel(page, 'Log of anchors').getByText('This is your first visit.').waitFor()
  await page.evaluate(() => {
    const [seen] = JSON.parse(localStorage.getItem('console-log-anchors') ?? '[]')
    seen.checkpoint.statement.root = 'ab'.repeat(48)
    localStorage.setItem('console-log-anchors', JSON.stringify([seen]))
  })
  await made.client.anchors.submit({ root: 'ef'.repeat(48), epoch: crypto.randomUUID() })
  await page.reload()
  await panel(page, 'Log of anchors').getByText('The log contradicts what it showed before.').waitFor()
  await loaded(page)
  await looksWell(page, 'log-contradicted')
})

import type { Page } from 'playwright-core'
import { afterAll, expect, it } from 'vitest'
import { addAuthenticator, Visit } from '../browser.fixture.ts'
import { openConsole, press, says, titled } from '../console-page.fixture.ts'
import { looksWellInBoth } from './own-browsers.fixture.ts'
import { panel } from './own-page.fixture.ts'
import { keepOneSheet } from './sheets.fixture.ts'

const visit = await Visit.begin()
afterAll(() => visit.end())

const PASSPHRASE = 'correct horse battery staple'

async function withPassphrase(page: Page): Promise<void> {
  await page.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE)
  await page.getByLabel('The same again').fill(PASSPHRASE)
  await press(page, 'Use this passphrase')
}

it.each([
  ['passkey', (page: Page) => press(page, 'Use a passkey'), async () => {}],
  ['passphrase', withPassphrase, (page: Page) => page.getByLabel('Passphrase').fill(PASSPHRASE)],
])('a key that a %s encrypts is asked for when the page opens again', async (by, protect, enter) => {
  const { page, complaints } = await openConsole(visit, '/')
  await addAuthenticator(page)
  await press(page, 'Create an identity')
  await protect(page)
  await keepOneSheet(page)
  await press(page, 'Continue')
  await page.reload()
  await page.getByText('The key of this browser is encrypted.').waitFor()
  await looksWellInBoth(page, `locked-by-${by}`)
  if (by === 'passphrase') {
    await page.getByLabel('Passphrase').fill('another passphrase')
    await press(page, 'Unlock')
    await says(page, 'The key did not open. Check the passphrase or the passkey.')
    await looksWellInBoth(page, 'locked-refused')
  }
  await enter(page)
  await press(page, 'Unlock')
  await titled(page, 'Your identity')
  await panel(page, 'Devices').waitFor()
  expect(complaints).toEqual([])
})

import { printedKey } from '@svc/client/recovery-words'
import type { Page } from 'playwright-core'
import { afterAll, expect, it } from 'vitest'
import { Visit } from '../../browser.fixture.ts'
import { follow, openConsole, press, says, titled } from '../../console-page.fixture.ts'
import { DRAFT } from '../../contact-page.fixture.ts'
import { freshOwner, type Owner, write } from '../inbox/messages.fixture.ts'
import { looksWellInBoth, useBackup } from '../own-browsers.fixture.ts'
import { panel } from '../own-page.fixture.ts'
import { writeOneSheet } from '../sheets.fixture.ts'
import { begin, confirmedHere, type Kept, NOT_YET, showsEnded, takenOver, windowMs } from './recovery.fixture.ts'

const visit = await Visit.begin()
afterAll(() => visit.end())

/** What an identity keeps that was made with the SDK. */
async function prepared({ identity, client }: Owner): Promise<Kept> {
  const { successor, kept } = await identity.prepareRecovery(client)
  const bytes = Buffer.from(JSON.stringify(kept))
  return { did: identity.did, words: printedKey(successor).code, file: { name: 'recovery.json', bytes } }
}

/** Somebody with the old root key delays the recovery. */
async function delayed({ client }: Owner, { file }: Kept): Promise<void> {
  const { rotation } = await client.recovery(JSON.parse(file.bytes.toString())).status()
  await client.rotation.cancel(rotation?.rotationId ?? '')
}

/** The members of what this browser keeps of root keys. */
function keptRoot(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const opening = indexedDB.open('console-root')
    await new Promise((resolve) => opening.addEventListener('success', resolve))
    const reading = opening.result.transaction('values').objectStore('values').getAll()
    await new Promise((resolve) => reading.addEventListener('success', resolve))
    opening.result.close()
    return reading.result.flatMap(({ value }: { value: object }) => Object.keys(value))
  })
}

it('what was encrypted for the old root key of this browser opens after the recovery', async () => {
  const owner = await freshOwner(visit)
  const kept = await prepared(owner)
  await write(visit, owner, false)
  const { page, complaints } = await openConsole(visit, '/')
  await useBackup(page, owner)
  await follow(page, 'Notes')
  await press(page, 'New note')
  await page.getByLabel('Title').fill('Lightship')
  await press(page, 'Save')
  await says(page, 'Saved.')

  await page.goto(`${visit.platform.consoleUrl}/recovery`)
  await page.waitForTimeout((await windowMs(visit)) + 500)
  await begin(page, kept)
  await confirmedHere(page, () => delayed(owner, kept))
  await titled(page, 'You have your identity back')
  await page.getByText('This browser has a root key from before.').waitFor()
  await looksWellInBoth(page, 'recovery-former')
  await press(page, 'Unlock and keep it')
  // The identity had no recovery words, and gets a sheet.
  await writeOneSheet(page)
  await takenOver(page, kept.did, 'recovery-with-former', NOT_YET)
  await showsEnded(page)
  expect(await keptRoot(page)).toEqual(['format', 'did', 'kdf', 'cipher', 'ciphertextB64u'])

  await follow(page, 'Inbox')
  await press(page, 'Open the messages')
  await press(page, 'Open the messages')
  await panel(page, 'Messages').getByRole('button', { name: DRAFT.subject }).waitFor()
  await follow(page, 'Notes')
  await page.getByText('1 note was written before').waitFor()
  await press(page, 'Open with the root key')
  await looksWellInBoth(page, 'notes-root')
  await press(page, 'Open with the root key')
  await panel(page, 'Your notes').getByRole('button', { name: 'Lightship' }).click()
  await titled(page, 'Lightship')
  expect(await page.getByText('was written before').count()).toBe(0)
  expect(complaints).toEqual([])
})

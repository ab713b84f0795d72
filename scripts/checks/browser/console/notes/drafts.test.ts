import type { Page } from 'playwright-core'
import { afterAll, expect, it } from 'vitest'
import { Visit } from '../../browser.fixture.ts'
import { follow, openConsole, press, says, titled } from '../../console-page.fixture.ts'
import { createIdentity } from '../own-browsers.fixture.ts'
import { panel } from '../own-page.fixture.ts'

const visit = await Visit.begin()
afterAll(() => visit.end())

const BACK = 'What you had typed is here again. It is not saved yet.'

const text = (page: Page) => page.getByLabel('Text', { exact: true })
async function openNotes(page: Page): Promise<void> {
  await follow(page, 'Notes')
  await panel(page, 'Your notes').waitFor()
}
async function openNote(page: Page, title: string): Promise<void> {
  await panel(page, 'Your notes').getByRole('button', { name: title }).click()
  await titled(page, title)
}
async function unlockIfNeeded(page: Page): Promise<void> {
  const unlock = page.getByRole('button', { name: 'Unlock' })
  await unlock.or(text(page)).first().waitFor()
  if (await unlock.isVisible()) await unlock.click()
}
/** In every database of the page, as far as it can be read without a key. */
const everythingKept = (page: Page) =>
  page.evaluate(async () => {
    const named = (await indexedDB.databases()).map(({ name = '' }) => name).filter((name) => name.includes('draft'))
    const all = await Promise.all(
      named.map(
        (name) =>
          new Promise<unknown[]>((resolve, reject) => {
            const request = indexedDB.open(name)
            request.addEventListener('error', () => reject(request.error))
            request.addEventListener('success', () => {
              const values = request.result.transaction('values').objectStore('values').getAll()
              values.addEventListener('success', () => {
                request.result.close()
                resolve(values.result)
              })
            })
          }),
      ),
    )
    const textOf = (value: unknown): string =>
      value instanceof Uint8Array
        ? new TextDecoder().decode(value)
        : value && typeof value === 'object'
          ? Object.entries(value).flat().map(textOf).join(' ')
          : String(value)
    return { names: named, text: all.flat().map(textOf).join(' ') }
  })

it('what a person types into a note is there again after the menu, Back and a reload, until it is saved', async () => {
  const { page, complaints } = await openConsole(visit, '/')
  await createIdentity(page)
  await openNotes(page)

  // A new note, left by the menu before its first save.
  await press(page, 'New note')
  await titled(page, 'New note')
  await page.getByLabel('Title').fill('Lightship')
  await text(page).pressSequentially('anchored off the sandbank')
  await follow(page, 'Inbox')
  await titled(page, 'Inbox')
  await openNotes(page)
  await press(page, 'New note')
  await says(page, BACK)
  expect(await text(page).inputValue()).toBe('anchored off the sandbank')
  expect(await page.getByLabel('Title').inputValue()).toBe('Lightship')
  await press(page, 'Save')
  await says(page, 'Saved.')
  expect(new URL(page.url()).pathname).toMatch(/^\/notes\/[\w-]{8,}$/)
  await press(page, 'All notes')

  // A note that is there, left by Back, and opened again from the list and by its address.
  await openNote(page, 'Lightship')
  const address = page.url()
  await text(page).fill('It moved in the night.')
  await page.getByText('Not saved yet').waitFor()
  await page.goBack()
  await panel(page, 'Your notes').waitFor()
  await openNote(page, 'Lightship')
  await says(page, BACK)
  expect(await text(page).inputValue()).toBe('It moved in the night.')

  await page.waitForTimeout(500)
  const kept = await everythingKept(page)
  expect(kept.names).toHaveLength(1)
  expect(kept.text).toContain('note/')
  for (const secret of ['moved', 'night', 'Lightship']) expect(kept.text).not.toContain(secret)
  await page.reload()
  await unlockIfNeeded(page)
  await titled(page, 'Lightship')
  await says(page, BACK)
  expect([page.url(), await text(page).inputValue()]).toEqual([address, 'It moved in the night.'])
  await press(page, 'Save')
  await says(page, 'Saved.')

  // Once it is saved, nothing is kept.
  await press(page, 'All notes')
  await openNote(page, 'Lightship')
  expect(await text(page).inputValue()).toBe('It moved in the night.')
  expect(await page.getByText('Not saved yet').count()).toBe(0)
  await expect.poll(async () => (await everythingKept(page)).text, { timeout: 15_000 }).toBe('')
  expect(complaints).toEqual([])
})

it('what is typed while a save is under way is saved with it', async () => {
  const { page, complaints } = await openConsole(visit, '/')
  await createIdentity(page)
  await openNotes(page)
  await press(page, 'New note')
  await page.getByLabel('Title').fill('Lightship')
  await text(page).fill('first')
  const { promise: isTyped, resolve: typed } = Promise.withResolvers<void>()
  let writes = 0
  await page.route(/\/api\/notes\//, async (route) => {
    const method = route.request().method()
    if (method !== 'GET' && method !== 'OPTIONS') {
      writes += 1
      if (writes === 1) await isTyped
    }
    await route.continue()
  })
  await press(page, 'Save')
  await text(page).pressSequentially(', and second')
  typed()
  await says(page, 'Saved.')
  expect(await page.getByText('Not saved yet').count()).toBe(0)
  expect(writes).toBe(2)
  expect(await text(page).inputValue()).toBe('first, and second')
  await page.reload()
  await unlockIfNeeded(page)
  await titled(page, 'Lightship')
  expect(await text(page).inputValue()).toBe('first, and second')

  // A save that fails leaves the text, also for somebody who goes away then.
  await page.unroute(/\/api\/notes\//)
  await page.route(/\/api\/notes\//, (route) => (route.request().method() === 'GET' ? route.continue() : route.abort()))
  await text(page).fill('third')
  await press(page, 'Save')
  await says(page, 'The service cannot be reached. Check your connection, and try again.')
  await follow(page, 'Inbox')
  await titled(page, 'Inbox')
  await page.unroute(/\/api\/notes\//)
  await openNotes(page)
  await openNote(page, 'Lightship')
  await says(page, BACK)
  expect(await text(page).inputValue()).toBe('third')
  await press(page, 'Save')
  await says(page, 'Saved.')
  expect(complaints.filter((complaint) => !complaint.includes('ERR_FAILED'))).toEqual([])
})

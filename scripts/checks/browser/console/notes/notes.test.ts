import type { Page } from 'playwright-core'
import { afterAll, expect, it } from 'vitest'
import { Visit } from '../../browser.fixture.ts'
import { follow, openConsole, press, says, titled } from '../../console-page.fixture.ts'
import { createIdentity, downloaded, looksWellInBoth, pairWith } from '../own-browsers.fixture.ts'
import { panel } from '../own-page.fixture.ts'

const visit = await Visit.begin()
afterAll(() => visit.end())

const FILE = Buffer.from(Uint8Array.from({ length: 200_000 }, (_, at) => (at * 31) & 255))
const SECRETS = ['Lightship', 'anchored off the sandbank', 'harbour', 'drawing.png']

async function openNotes(page: Page): Promise<void> {
  await follow(page, 'Notes')
  await titled(page, 'Notes')
  await panel(page, 'Your notes').waitFor()
}
async function write(page: Page, title: string, body: string, tags = ''): Promise<void> {
  await page.getByLabel('Title').fill(title)
  await page.getByLabel('Text', { exact: true }).fill(body)
  await page.getByLabel('Tags').fill(tags)
  await press(page, 'Save')
  await says(page, 'Saved.')
}
const openNote = async (page: Page, title: string) => {
  await panel(page, 'Your notes').getByRole('button', { name: title }).click()
  await titled(page, title)
}

it('a note with a file goes from one browser to another, and back in a new version', async () => {
  const first = await openConsole(visit, '/')
  const second = await openConsole(visit, '/pair')
  const sent: string[] = []
  for (const { page } of [first, second])
    page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`))
  await createIdentity(first.page)

  await openNotes(first.page)
  await looksWellInBoth(first.page, 'notes-none')
  await press(first.page, 'New note')
  await titled(first.page, 'New note')
  await write(first.page, 'Lightship', 'It had been anchored off the sandbank.', 'harbour, winter')
  await first.page
    .getByLabel('Attach a file')
    .setInputFiles({ name: 'drawing.png', mimeType: 'image/png', buffer: FILE })
  await says(first.page, 'The file was attached.')
  await panel(first.page, 'Versions').getByText('Version 2').waitFor()
  await looksWellInBoth(first.page, 'note')

  // What is older than the pairing opens only once it is written for the new device.
  await press(first.page, 'All notes')
  await follow(first.page, 'Overview')
  await pairWith(first.page, second.page)
  await openNotes(second.page)
  await second.page.getByText('1 note was written before this browser became your device').waitFor()
  await looksWellInBoth(second.page, 'notes-closed')
  await openNotes(first.page)
  await first.page.getByText('1 note cannot be opened on a device that was added later.').waitFor()
  await looksWellInBoth(first.page, 'notes-unshared')
  await press(first.page, 'Make readable everywhere')
  await says(first.page, 'All your devices can read these notes now.')
  await press(second.page, 'Read again')
  await openNote(second.page, 'Lightship')
  expect(await second.page.getByLabel('Text', { exact: true }).inputValue()).toBe(
    'It had been anchored off the sandbank.',
  )
  expect(await downloaded(second.page, 'Download drawing.png')).toEqual({ name: 'drawing.png', bytes: FILE })

  await press(second.page, 'Show: Version 1')
  await second.page.getByText('This version was written before this browser became your device').waitFor()
  await write(second.page, 'Lightship', 'It moved in the night.', 'harbour')
  await press(first.page, 'Read again')
  await openNote(first.page, 'Lightship')
  expect(await first.page.getByLabel('Text', { exact: true }).inputValue()).toBe('It moved in the night.')
  for (const secret of SECRETS) expect(sent.join('\n')).not.toContain(secret)
  expect([...first.complaints, ...second.complaints]).toEqual([])
})

it('every save is a version: an older one is looked at and restored, and a file is removed', async () => {
  const { page, complaints } = await openConsole(visit, '/')
  await createIdentity(page)
  await openNotes(page)
  await press(page, 'New note')
  await write(page, 'Lightship', 'It had been anchored off the sandbank.')
  const file = { name: 'drawing.png', mimeType: 'image/png', buffer: FILE }
  await page.getByLabel('Attach a file').setInputFiles(file)
  await says(page, 'The file was attached.')
  await write(page, 'Lightship', 'It moved in the night.')
  await press(page, 'Show: Version 2')
  await page.getByRole('article', { name: 'Version 2' }).getByText('anchored off the sandbank').waitFor()
  await looksWellInBoth(page, 'note-versions')
  await page.getByLabel('Text', { exact: true }).fill('not saved')
  await press(page, 'Restore version 2')
  await says(page, 'Save or discard your changes first.')
  await page.getByLabel('Text', { exact: true }).fill('It moved in the night.')
  await press(page, 'Restore version 2')
  await says(page, 'Version 2 is current again.')
  expect(await page.getByLabel('Text', { exact: true }).inputValue()).toBe('It had been anchored off the sandbank.')
  await press(page, 'Remove drawing.png')
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await says(page, 'The file was removed.')
  expect(complaints).toEqual([])
})

it('notes are searched, exported and deleted, and unsaved text is not lost by accident', async () => {
  const { page, complaints } = await openConsole(visit, '/')
  await createIdentity(page)
  await openNotes(page)
  for (const [title, body] of [
    ['Omelette', 'eggs and milk'],
    ['Pancakes', 'eggs, milk and flour'],
  ] as const) {
    await press(page, 'New note')
    await write(page, title, body)
    await press(page, 'All notes')
  }
  const list = panel(page, 'Your notes')
  await page.getByLabel('Search').fill('FLOUR eggs')
  await list.getByText('1 note found').waitFor()
  expect(await list.getByRole('button').allTextContents()).toEqual([expect.stringContaining('Pancakes')])
  await looksWellInBoth(page, 'notes-found')

  const archive = await downloaded(page, 'Download the archive')
  const [head, ...pieces] = archive.bytes
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { format?: string; kind?: string })
  expect([archive.name, head?.format, pieces.at(-1)?.kind]).toEqual(['notes.jsonl', 'svc/note-archive/v1', 'page'])
  expect(archive.bytes.toString()).not.toContain('flour')
  expect((await downloaded(page, 'Download the text')).bytes.toString()).toContain('# Omelette\n\neggs and milk\n')

  await openNote(page, 'Pancakes')
  await page.getByLabel('Text', { exact: true }).fill('only flour')
  await page.getByText('Not saved yet').waitFor()
  await press(page, 'All notes')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  expect(await page.getByLabel('Text', { exact: true }).inputValue()).toBe('only flour')
  await press(page, 'All notes')
  await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click()

  await openNote(page, 'Pancakes')
  await press(page, 'Delete the note')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the note' }).click()
  await says(page, 'The note was deleted.')
  await list.getByText('1 note', { exact: true }).waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'Unlock' }).or(list).first().waitFor()
  if (await page.getByRole('button', { name: 'Unlock' }).isVisible()) await press(page, 'Unlock')
  await list.getByRole('button').first().waitFor()
  expect(await list.getByRole('button').allTextContents()).toEqual([expect.stringContaining('Omelette')])
  expect(complaints).toEqual([])
})

it('a file shows how far it has gone while it is on its way', async () => {
  const { page, complaints } = await openConsole(visit, '/')
  await createIdentity(page)
  await openNotes(page)
  await press(page, 'New note')
  await write(page, 'Lightship', 'It had been anchored off the sandbank.')
  const { promise: isWatched, resolve: watched } = Promise.withResolvers<void>()
  await page.route(/\/attachments\//, async (route) => {
    await isWatched
    await route.continue()
  })
  const bar = page.getByRole('progressbar', { name: 'drawing.png' })
  const shares = await page.evaluateHandle(() => {
    const seen: number[] = []
    new MutationObserver(() => {
      const value = document.querySelector('progress')?.value
      if (value !== undefined && value !== seen.at(-1)) seen.push(value)
    }).observe(document.body, { subtree: true, childList: true, attributes: true })
    return seen
  })
  const attach = (name: string, buffer: Buffer) =>
    page.getByLabel('Attach a file').setInputFiles({ name, mimeType: 'image/png', buffer })
  await attach('drawing.png', FILE)
  await bar.waitFor()
  await looksWellInBoth(page, 'note-moving')
  watched()
  await says(page, 'The file was attached.')
  await bar.waitFor({ state: 'detached' })
  const seen = await shares.jsonValue()
  expect(seen).toEqual(seen.toSorted((a, b) => a - b))
  expect([seen[0], seen.at(-1)]).toEqual([0, 1])
  expect(complaints).toEqual([])
})

import { afterAll, expect, it } from 'vitest'
import { Visit } from '../browser.fixture.ts'
import { openConsole, says, titled } from '../console-page.fixture.ts'
import { steered } from '../keyboard.fixture.ts'
import { panel } from './own-page.fixture.ts'
import { shownWords } from './sheets.fixture.ts'

const visit = await Visit.begin()
afterAll(() => visit.end())

const PASSPHRASE = 'correct horse battery staple'

it('an identity is created and a note written from the keyboard alone', async () => {
  const { page, complaints } = await openConsole(visit, '/')
  const { press, type } = steered(page)
  await press('Create an identity')
  await titled(page, 'Protect the root key')
  await type('Passphrase', PASSPHRASE)
  await type('The same again', PASSPHRASE)
  await press('Use this passphrase')
  await titled(page, 'Write down your recovery words')
  const words = await shownWords(page)
  await press('I have written them down')
  await titled(page, 'Check what you wrote down')
  for (const label of await page.getByText(/^Word \d+$/).allInnerTexts())
    await type(label, words[Number(label.replace('Word ', '')) - 1] ?? '')
  await press('Check')
  await titled(page, 'A second sheet?')
  await press('One sheet is enough')
  await titled(page, 'Keep the recovery file')
  await press('Continue')
  await titled(page, 'Your identity')

  await press('Notes')
  await titled(page, 'Notes')
  await panel(page, 'Your notes').waitFor()
  await press('New note')
  await titled(page, 'New note')
  await type('Title', 'Lightship')
  await type('Text', 'It had been anchored off the sandbank.')
  await press('Save')
  await says(page, 'Saved.')
  await press('All notes')
  await panel(page, 'Your notes').getByRole('button', { name: 'Lightship' }).waitFor()
  await press(/^Lightship/)
  await titled(page, 'Lightship')
  expect(await page.getByLabel('Text', { exact: true }).inputValue()).toBe('It had been anchored off the sandbank.')
  expect(complaints).toEqual([])
})

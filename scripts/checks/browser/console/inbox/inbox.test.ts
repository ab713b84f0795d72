import { readFile } from 'node:fs/promises'
import { sharedAddress } from '@svc/platform/shared-platform'
import { afterAll, expect, it } from 'vitest'
import { Visit } from '../../browser.fixture.ts'
import { follow, openConsole, press, says, titled } from '../../console-page.fixture.ts'
import { DRAFT, Site } from '../../contact-page.fixture.ts'
import { steered } from '../../keyboard.fixture.ts'
import { downloaded, looksWellInBoth, pairWith, useBackup } from '../own-browsers.fixture.ts'
import { panel } from '../own-page.fixture.ts'
import { freshOwner, write } from './messages.fixture.ts'
import { openAnswer, writeByForm } from './stranger.fixture.ts'

const visit = await Visit.begin()
const site = await Site.open(() => visit.platform.urls.core, sharedAddress().sitePort)
afterAll(async () => {
  site.close()
  await visit.end()
})

it('from a stranger to the reply: by the form, the console, and the private link', async () => {
  const owner = await freshOwner(visit)
  const stranger = await writeByForm(visit, site, owner)
  const { page, complaints } = await openConsole(visit, '/')
  await useBackup(page, owner)
  const sent: string[] = []
  page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`))

  await follow(page, 'Inbox')
  await titled(page, 'Inbox')
  await panel(page, 'Messages').getByText('Encrypted message').waitFor()
  await looksWellInBoth(page, 'inbox-encrypted')
  await press(page, 'Open the messages')
  await press(page, 'Open the messages')
  const letter = panel(page, 'Messages').getByRole('button', { name: DRAFT.subject })
  await letter.waitFor()
  await looksWellInBoth(page, 'inbox')
  await letter.click()
  await titled(page, DRAFT.subject)
  expect(await page.locator('.letter .text').textContent()).toBe(DRAFT.message)
  await page.getByText(`${DRAFT.name} <${stranger.email}>`).waitFor()
  await page.getByLabel('Your answer').fill('You may, with pleasure.')
  await looksWellInBoth(page, 'inbox-message')
  await press(page, 'Sign and seal the answer')
  const reply = await downloaded(page, 'Sign and seal the answer')
  await says(page, 'The sealed answer was downloaded.')
  await looksWellInBoth(page, 'inbox-answered')
  expect(await page.getByRole('link', { name: 'Answer by mail' }).getAttribute('href')).toContain(
    `mailto:${stranger.email}?`,
  )

  expect(reply.bytes.toString()).not.toContain('pleasure')
  const opening = await openAnswer(visit, stranger.link, reply.bytes, owner)
  const everything = [...sent, ...stranger.sent, ...opening.sent].join('\n')
  const key = stranger.link.slice(stranger.link.lastIndexOf('.') + 1)
  for (const secret of ['May I print it', 'pleasure', DRAFT.name, key]) expect(everything).not.toContain(secret)

  await press(page, 'All messages')
  expect(await panel(page, 'Messages').getByText('new', { exact: true }).count()).toBe(0)
  await panel(page, 'Messages').getByRole('button', { name: DRAFT.subject }).click()
  await press(page, 'Delete')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await says(page, 'The message was deleted.')
  await panel(page, 'Messages').getByText('0 messages').waitFor()
  expect(complaints).toEqual([])
})

it('a paired browser sees when messages came, and deletes them; one without a key is answered by mail', async () => {
  const owner = await freshOwner(visit)
  const stranger = await write(visit, owner, false)
  const first = await openConsole(visit, '/')
  const second = await openConsole(visit, '/pair')
  await useBackup(first.page, owner)
  await pairWith(first.page, second.page)
  await follow(second.page, 'Inbox')
  await second.page.getByText('Only the device with the root key can open messages.').waitFor()
  await panel(second.page, 'Messages').getByText('new', { exact: true }).waitFor()
  await looksWellInBoth(second.page, 'inbox-paired')

  await follow(first.page, 'Inbox')
  await press(first.page, 'Open the messages')
  await press(first.page, 'Open the messages')
  await panel(first.page, 'Messages').getByRole('button', { name: DRAFT.subject }).click()
  await first.page.getByText('The message carries no key for a sealed answer.').waitFor()
  expect(await first.page.getByRole('link', { name: 'Answer by mail' }).getAttribute('href')).toBe(
    `mailto:${stranger.email}?subject=Re%3A%20About%20your%20picture`,
  )

  await second.page.getByRole('button', { name: /^Delete: / }).click()
  await second.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await says(second.page, 'The message was deleted.')
  expect([...first.complaints, ...second.complaints]).toEqual([])
})

it('a message is read and answered from the keyboard alone', async () => {
  const owner = await freshOwner(visit)
  const stranger = await write(visit, owner, true)
  const { page, complaints } = await openConsole(visit, '/')
  await useBackup(page, owner)
  const { press: go, type } = steered(page)
  await go('Inbox')
  await titled(page, 'Inbox')
  await panel(page, 'Messages').getByText('Encrypted message').waitFor()
  await go('Open the messages')
  await go('Open the messages')
  await panel(page, 'Messages').getByRole('button', { name: DRAFT.subject }).waitFor()
  await go(new RegExp(DRAFT.subject))
  await titled(page, DRAFT.subject)
  await type('Your answer', 'You may.')
  await go('Sign and seal the answer')
  const [download] = await Promise.all([page.waitForEvent('download'), go('Sign and seal the answer')])
  const reply = JSON.parse(await readFile(await download.path(), 'utf8'))
  expect((await stranger.openReply(reply))?.text).toBe('You may.')
  await go('All messages')
  await titled(page, 'Inbox')
  expect(complaints).toEqual([])
})

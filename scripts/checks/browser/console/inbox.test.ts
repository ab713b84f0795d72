import { readFile } from 'node:fs/promises'
import { Client, Identity } from '@svc/client'
import { afterAll, expect, it } from 'vitest'
import { freshAddress } from '../../running-platform/fresh-address.ts'
import { Visit } from '../browser.fixture.ts'
import { follow, openConsole, press, says, titled } from '../console-page.fixture.ts'
import { steered } from '../keyboard.fixture.ts'
import { backupOf, downloaded, looksWellInBoth, pairWith, useBackup } from './own-browsers.fixture.ts'
import { panel } from './own-page.fixture.ts'

const visit = await Visit.begin()
afterAll(() => visit.end())

const MEDIA = { mime: 'image/png', bytes: 1, cid: 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi' }
const DRAFT = { name: 'Ada Lovelace', subject: 'About your picture', message: 'May I print it?\nIn a book.' }
const places = () => ({
  core: visit.platform.urls.core,
  origin: 'http://localhost:3000',
  headers: { 'cf-connecting-ip': freshAddress() },
})

/** Somebody who has an asset, and a backup of the root key. */
async function freshOwner() {
  const identity = await Identity.create()
  const client = await Client.connect({ ...places(), identity })
  await client.chain.genesis()
  await client.did.register()
  const { asset } = await client.assets.mint({ media: MEDIA })
  return {
    did: identity.did,
    assetId: asset.assetId,
    backup: await backupOf(identity),
  }
}

/** A message by somebody without an identity; with a key for a sealed answer or without. */
async function write({ did, assetId }: { readonly did: string; readonly assetId: string }, takesReply: boolean) {
  const { contact } = await Client.connect(places())
  const email = `ada-${crypto.randomUUID()}@example.org`
  const open = await contact.request({ assetId, fromEmail: email, challengeToken: 'XXXX.DUMMY.TOKEN.XXXX', owner: did })
  const key = takesReply ? await contact.replyKey(open) : null
  const draft = { ...DRAFT, email, ...(key && { replyKeyB64u: key.publicKeyB64u }) }
  const sealed = await contact.seal(open, draft)
  await contact.verify(open, await visit.platform.mail.codeIn(email), sealed)
  return { email, openReply: async (reply: unknown) => (key ? contact.openReply(reply, key) : null) }
}

it('from a stranger to the reply: the owner reads in the console, and only the stranger opens the answer', async () => {
  const owner = await freshOwner()
  const stranger = await write(owner, true)
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
  const opened = await stranger.openReply(JSON.parse(reply.bytes.toString()))
  expect(opened?.text).toBe('You may, with pleasure.')
  for (const secret of ['May I print it', 'pleasure', DRAFT.name]) expect(sent.join('\n')).not.toContain(secret)

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
  const owner = await freshOwner()
  const stranger = await write(owner, false)
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
  const owner = await freshOwner()
  const stranger = await write(owner, true)
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

import { Client, Identity, type InboxMessage, type OpenContact } from '@svc/client'
import { replyLinkOf } from '@svc/client/functions'
import { afterAll, expect, it } from 'vitest'
import { Visit } from '../../browser.fixture.ts'
import { openConsole, press, says, titled } from '../../console-page.fixture.ts'
import { DRAFT } from '../../contact-page.fixture.ts'
import { looksWellInBoth } from '../own-browsers.fixture.ts'
import { freshEmail, placesOn } from './messages.fixture.ts'
import { choose } from './stranger.fixture.ts'

const visit = await Visit.begin()
afterAll(() => visit.end())

it('an answer opens with its own link only, and only if the owner signed it', async () => {
  const [owner, other] = [await Identity.create(), await Identity.create()]
  for (const identity of [owner, other]) await (await Client.connect({ ...placesOn(visit), identity })).chain.genesis()
  const about = { requestId: Buffer.alloc(60, 7).toString('base64url'), assetId: `asset:sha3-384:${'a7'.repeat(48)}` }
  const { contact } = await Client.connect(placesOn(visit))
  const keys = await Promise.all([0, 1].map(() => contact.replyKey({ ...about, owner: owner.did } as OpenContact)))
  const page = `${visit.platform.consoleUrl}/reply`
  const [link = '', foreign = ''] = keys.map((key) => replyLinkOf(key, page))
  const asked = { ...DRAFT, email: freshEmail(), assetId: about.assetId, replyKeyB64u: keys[0]?.publicKeyB64u ?? '' }
  const by = async (identity: Identity, requestId = about.requestId) => {
    const { inbox } = await Client.connect({ ...placesOn(visit), identity })
    return Buffer.from(JSON.stringify(await inbox.reply({ ...about, requestId } as InboxMessage, asked, 'Yes.')))
  }
  const opened = await openConsole(visit, '/reply')
  const { page: shown } = opened
  await shown.getByLabel('Private link').fill(link.slice(0, -1))
  await choose(shown, await by(owner))
  await says(shown, 'This is not a complete private link. Copy all of it.')
  await looksWellInBoth(shown, 'reply-without-link')
  await shown.getByLabel('Private link').fill(link)
  await choose(shown, await by(other))
  await says(shown, 'The identity that you wrote to did not sign this answer. Do not rely on it.')
  await choose(shown, await by(owner, Buffer.alloc(60, 8).toString('base64url')))
  await says(shown, 'This is the answer to another message. Use the private link of that message.')
  await shown.getByLabel('Private link').fill(foreign)
  await choose(shown, await by(owner))
  await says(shown, 'The answer does not open with this link, or it was changed.')
  await shown.getByLabel('Private link').fill(link)
  await press(shown, 'Open the answer')
  await titled(shown, 'The answer to your message')
  expect(opened.complaints).toEqual([])
})

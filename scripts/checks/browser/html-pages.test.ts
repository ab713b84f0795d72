import { sharedAddress } from '@svc/platform/shared-platform'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { keepScreenshot, Visit } from './browser.fixture.ts'
import { ask, codeOf, DRAFT, fill, freshOwner, send, titled } from './contact-page.fixture.ts'
import { BlockSite, pageBlocks } from './page-block.fixture.ts'

/** The test that runs each `html page` block. */
const RUN_BY: Readonly<Record<string, string>> = {
  'inbox 1': 'contact-form.test.ts',
  'receive-messages 1': 'html-pages.test.ts',
}

let begun: Visit | undefined
let visit: Visit
let site: BlockSite

beforeAll(async () => {
  begun = await Visit.begin()
  visit = begun
  site = await BlockSite.open(sharedAddress().sitePort)
})
afterAll(async () => {
  site.close()
  await begun?.end()
})

it('there is a test for every page in the documentation', () => {
  expect(
    pageBlocks()
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(Object.keys(RUN_BY).toSorted())
})

it('the guide to messages: its page delivers a message to the owner', async () => {
  const { client, assetId, identity } = await freshOwner(visit.platform)
  const { core } = visit.platform.urls
  // The other tests use up the codes of their address.
  const email = 'guide@example.org'
  const page = await visit.newPage()
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  await site.visit(page, 'receive-messages 1', {
    gaps: { 'http://localhost:8787': core, 'asset:sha3-384:…': assetId, 'did:svc:…': identity.did },
    connect: [core],
  })
  await fill(page, email)
  await ask(page)
  await titled(page, 'Enter the code from your mail')
  await codeOf(page).fill(await visit.platform.mail.codeIn(assetId))
  await send(page)
  await titled(page, 'Your message was sent')
  const [message] = (await client.inbox.list()).messages
  await page.getByText(`Your reference: ${message?.requestId.slice(0, 8)}`).waitFor()
  await keepScreenshot(page, 'guide-messages')
  expect(await client.inbox.open(message!)).toMatchObject({ ...DRAFT, email })
  expect(complaints).toEqual([])
})

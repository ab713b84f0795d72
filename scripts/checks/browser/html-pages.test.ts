import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sharedAddress } from '@svc/platform/shared-platform'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addAuthenticator, keepScreenshot, Visit } from './browser.fixture.ts'
import { ask, codeOf, DRAFT, fill, freshOwner, send, titled } from './contact-page.fixture.ts'
import { BlockSite, pageBlocks } from './page-block.fixture.ts'

/** The test that runs each `html page` block. */
const RUN_BY: Readonly<Record<string, string>> = {
  'add-sign-in 1': 'html-pages.test.ts',
  'add-sign-in 2': 'sign-in/providers.test.ts',
  'inbox 1': 'contact-page.fixture.ts',
  'receive-messages 1': 'html-pages.test.ts',
}

let begun: Visit | undefined
let visit: Visit
let opened: BlockSite | undefined
let site: BlockSite

beforeAll(async () => {
  begun = await Visit.begin()
  visit = begun
  opened = await BlockSite.open(sharedAddress().sitePort)
  site = opened
})
afterAll(async () => {
  await begun?.end()
  opened?.close()
})

it('there is a test for every page in the documentation', () => {
  expect(
    pageBlocks()
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(Object.keys(RUN_BY).toSorted())
  for (const [name, file] of Object.entries(RUN_BY))
    expect(readFileSync(join(import.meta.dirname, file), 'utf8'), name).toMatch(new RegExp(`\\(.*'${name}'`))
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

describe('the guide to sign-in: its page', () => {
  async function open() {
    const { auth } = visit.platform.urls
    const page = await visit.newPage()
    const sent: string[] = []
    page.on('request', (request) => sent.push(request.postData() ?? ''))
    await site.visit(page, 'add-sign-in 1', { gaps: { 'http://localhost:8792': auth }, connect: [auth] })
    const press = async (button: string, answer: string) => {
      await page.getByRole('button', { name: button, exact: true }).click()
      await page.getByRole('status').getByText(answer, { exact: true }).waitFor()
    }
    const fillIn = async (name: string, password: string) => {
      await page.getByLabel('Name').fill(name)
      await page.getByLabel('Password').fill(password)
    }
    return { page, press, fillIn, sent }
  }

  it('creates an account with a password, signs in and out, and deletes it', async () => {
    const { page, press, fillIn, sent } = await open()
    await fillIn('guide-reader', 'correct horse battery')
    await press('Create an account', 'Signed in with a password')
    await keepScreenshot(page, 'guide-sign-in')
    await press('Sign out', 'Signed out')
    await fillIn('guide-reader', 'another password')
    await press('Sign in', 'Name or password is wrong')
    await fillIn('guide-reader', 'correct horse battery')
    await press('Sign in', 'Signed in with a password')
    await press('Delete the account', 'The account is deleted')
    await press('Sign in', 'Name or password is wrong')
    expect(sent.filter((body) => body.includes('correct horse'))).toEqual([])
  })

  it('creates an account with a passkey, and signs in again', async () => {
    const { page, press } = await open()
    await addAuthenticator(page)
    await page.getByLabel('Name').fill('Guide reader')
    await press('Create a passkey', 'Signed in with a passkey')
    await press('Sign out', 'Signed out')
    await press('Use a passkey', 'Signed in with a passkey')
  })
})

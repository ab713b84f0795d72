import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Identity } from '@svc/client'
import { KeyFile } from '@svc/client/node'
import { sharedAddress } from '@svc/platform/shared-platform'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { runExample, startExample } from '../examples/applications/running-example.ts'
import { accessibilityFaults, beyondScreen } from './axe.fixture.ts'
import { keepScreenshot, Visit } from './browser.fixture.ts'
import { ask, codeOf, DRAFT, fill, send, titled } from './contact-page.fixture.ts'

const PROGRAM = 'contact-page/contact-page.ts'
const SCREENS = [
  { width: 1280, height: 900 },
  { width: 390, height: 844 },
]
const folder = mkdtempSync(join(tmpdir(), 'svc-contact-'))
const PASSPHRASE = 'correct horse battery staple'
const env = { PAGE_PASSPHRASE: PASSPHRASE, PORT: String(sharedAddress().sitePort) }
const args = (command: string) => [command, '--folder', folder]
const fileOf = (name: string) => join(folder, 'site', name)

let visit: Visit
let example: ReturnType<typeof startExample> | undefined
let address = ''
let did = ''
const published = { 'index.html': '', 'signed.json': '' }

beforeAll(async () => {
  visit = await Visit.begin()
  example = startExample(PROGRAM, { args: args('serve'), env })
  ;[, address = '', did = ''] = /^(\S+) is by (\S+)$/.exec(await example.nextLine()) ?? []
  for (const name of ['index.html', 'signed.json'] as const) published[name] = readFileSync(fileOf(name), 'utf8')
})
afterEach(() => {
  for (const [name, text] of Object.entries(published)) writeFileSync(fileOf(name), text)
})
afterAll(async () => {
  await example?.stopped()
  await visit.end()
  rmSync(folder, { recursive: true, force: true })
})

async function opened(options: Parameters<Visit['newPage']>[0] = {}) {
  const page = await visit.newPage(options)
  await page.goto(address)
  return page
}
const verdictOf = async (page: Page, title: string) => {
  const verdict = page.getByRole('status').filter({ hasText: title }).first()
  await verdict.waitFor()
  return verdict.textContent()
}
const formsOn = (page: Page) => page.locator('svc-contact-form').count()
/** The page with another text in place of one that it must have. */
function withChange(from: string, to: string): void {
  expect(published['index.html']).toContain(from)
  writeFileSync(fileOf('index.html'), published['index.html'].replace(from, to))
}

it('shows the author who signed the text, and takes a message that only the author reads', async () => {
  const page = await visit.newPage()
  const sent: string[] = []
  const complaints: string[] = []
  page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`))
  page.on('console', (message) => complaints.push(message.text()))
  await page.goto(address)
  expect(await verdictOf(page, 'Verified author')).toContain(`${did} signed exactly this text, for this address, on `)
  await keepScreenshot(page, 'example-verified-light')

  // The other tests use up the codes of their address.
  const email = 'example@example.org'
  await fill(page, email)
  await ask(page)
  await titled(page, 'Enter the code from your mail')
  await codeOf(page).fill(await visit.platform.mail.codeIn(email))
  await send(page)
  await titled(page, 'Your message was sent')
  expect(complaints).toEqual([])
  for (const secret of [DRAFT.name, DRAFT.subject, 'May I print']) expect(sent.join('\n')).not.toContain(secret)

  const [code, output] = await runExample(PROGRAM, { args: args('read'), env })
  const head = `, new, from ${DRAFT.name} <${email}>\nSubject: ${DRAFT.subject}\n`
  expect([code, output]).toEqual([0, expect.stringContaining(`${head}  May I print it in a book?\n  Second line`)])
  expect(output).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d UTC, new, [\s\S]*\n\nMessages: 1$/)
  const [, again] = await runExample(PROGRAM, { args: args('read'), env })
  expect(again).toBe(output.replace(', new,', ','))
})

it.each([
  ['a changed word', () => withChange('believed the old pilot', 'believed the young pilot')],
  ['a new paragraph', () => withChange('</article>', '<p>Send money.</p></article>')],
  ['words beside the paragraphs', () => withChange('</article>', 'Send money.</article>')],
  ['a paragraph less', () => withChange('<p>By Ada Marsh</p>', '')],
  ['words that are struck out', () => withChange('the old pilot', '<s>the old pilot</s>')],
  ['a hidden paragraph', () => withChange('<p>By Ada', '<p hidden>By Ada')],
])('does not verify %s, and offers no form', async (_, change) => {
  change()
  const page = await opened()
  expect(await verdictOf(page, 'Not verified')).toContain(
    'This is not the text that the author signed for this address',
  )
  expect(await formsOn(page)).toBe(0)
})

it('does not verify a signature of somebody else or for another address, and none', async () => {
  const { realm, text: content } = JSON.parse(published['signed.json']).statement
  const stranger = await Identity.create()
  const theirs = await stranger.signMessage({ realm, audience: address, content })
  const author = (await new KeyFile(join(folder, 'keys.json')).load(PASSPHRASE))?.identity
  const elsewhere = await author?.signMessage({ realm, audience: 'https://elsewhere.example/', content })
  for (const [signed, why] of [
    [JSON.stringify(elsewhere), 'not the text that the author signed for this address'],
    [JSON.stringify(theirs), 'Somebody else signed it'],
    [JSON.stringify({ ...theirs, statement: { ...theirs.statement, did } }), 'a key that the author does not use now'],
    [published['signed.json'].replace(/"issuedAt":\d/, '"issuedAt":2'), 'Its signature is not valid'],
    ['{', 'Its signature is missing or damaged'],
  ] as const) {
    writeFileSync(fileOf('signed.json'), signed)
    const page = await opened()
    expect(await verdictOf(page, 'Not verified'), why).toContain(why)
    expect(await formsOn(page)).toBe(0)
  }
})

it('does not verify a copy that names an identity which does not exist', async () => {
  withChange(`data-author="${did}"`, `data-author="${(await Identity.create()).did}"`)
  expect(await verdictOf(await opened(), 'Not verified')).toContain('identity does not exist')
})

it('says that it could not check if the service does not answer', async () => {
  const page = await visit.newPage()
  await page.route(`${visit.platform.urls.core}/**`, (route) => route.abort())
  await page.goto(address)
  expect(await verdictOf(page, 'Not checked')).toContain('No answer from')
  expect(await formsOn(page)).toBe(0)
})

it.each(['light', 'dark'] as const)(
  'is accessible on a %s background, on a desk and on a phone',
  async (colorScheme) => {
    const page = await opened({ colorScheme })
    const faults = async (name: string) => {
      for (const screen of SCREENS) {
        await page.setViewportSize(screen)
        const found = { faults: await accessibilityFaults(page), wider: await beyondScreen(page) }
        expect(found, `${name}, ${screen.width} pixels`).toEqual({ faults: [], wider: 0 })
        await keepScreenshot(page, `example-${name}-${screen.width}-${colorScheme}`)
      }
    }
    await verdictOf(page, 'Verified author')
    await faults('verified')
    withChange('old pilot', 'young pilot')
    await page.reload()
    await verdictOf(page, 'Not verified')
    await faults('refuted')
  },
)

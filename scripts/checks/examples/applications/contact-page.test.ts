import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@svc/client'
import { verifyMessage } from '@svc/client/verify'
import { sharedAddress, sharedPlatform } from '@svc/platform/shared-platform'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runExample, startExample } from './running-example.ts'

const PROGRAM = 'contact-page/contact-page.ts'
const PORT = String(sharedAddress().sitePort)
const PASSPHRASE = 'correct horse battery staple'
const folder = mkdtempSync(join(tmpdir(), 'svc-contact-'))
const text = join(folder, 'text.txt')
const args = (command: string) => [command, '--folder', join(folder, 'mine'), '--text', text]
const run = (command: string, PAGE_PASSPHRASE = PASSPHRASE) =>
  runExample(PROGRAM, { args: args(command), env: { PORT, PAGE_PASSPHRASE } })
const dataOf = (html: string, name: string) => new RegExp(`data-${name}="([^"]+)"`).exec(html)?.[1] ?? ''

let example: ReturnType<typeof startExample> | undefined
let [address, did] = ['', '']

/** Starts the program, after ending the one before. */
async function serve(words: string): Promise<string> {
  await example?.stopped()
  writeFileSync(text, words)
  example = startExample(PROGRAM, { args: args('serve'), env: { PORT, PAGE_PASSPHRASE: PASSPHRASE } })
  ;[, address = '', did = ''] = /^(\S+) is by (\S+)$/.exec(await example.nextLine()) ?? []
  return (await fetch(address)).text()
}

beforeAll(async () => {
  expect(await run('serve', '')).toEqual([1, 'Error: Set PAGE_PASSPHRASE: it encrypts the keys'])
  expect(await run('read')).toEqual([1, expect.stringContaining('has no keys: use the command serve first')])
  await serve('A title\n\nBy me & <others>\n')
})
afterAll(async () => {
  await example?.stopped()
  rmSync(folder, { recursive: true, force: true })
})

it('publishes a text whose signature anyone can verify', async () => {
  const client = await Client.connect(sharedPlatform().urls)
  const keys = await client.keyHistory.of(did)
  const signed = await (await fetch(`${address}signed.json`)).json()
  await verifyMessage(signed, {
    did,
    keys,
    audience: address,
    realms: client.realms,
    content: 'A title\n\nBy me & <others>',
  })
  expect(await (await fetch(address)).text()).toContain('<p>By me &#38; &#60;others&#62;</p>')
})

it('serves the files of the site, and no keys', async () => {
  expect(readFileSync(join(folder, 'mine/keys.json'), 'utf8')).not.toBe('')
  for (const path of ['keys.json', '..%2fkeys.json', 'chunks', 'no.html'])
    expect((await fetch(address + path)).status, path).toBe(404)
  for (const [path, type] of Object.entries({ 'page.js': 'text/javascript', 'page.css': 'text/css' })) {
    const response = await fetch(address + path)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type])
  }
})

it('publishes a new text as the same author, at the same place for messages', async () => {
  const [before, author] = [await (await fetch(address)).text(), did]
  const after = await serve('Another title\n')
  expect([did, dataOf(after, 'asset')]).toEqual([author, dataOf(before, 'asset')])
  expect(after).toContain('<h1>Another title</h1>')
})

it('prints messages that cannot act on a terminal or look like another one', async () => {
  const html = await (await fetch(address)).text()
  const { contact } = await Client.connect({ core: sharedPlatform().urls.core })
  const fromEmail = `eve-${crypto.randomUUID()}@example.org`
  const assetId = dataOf(html, 'asset')
  const open = await contact.request({ assetId, owner: did, fromEmail, challengeToken: 'XXXX.DUMMY.TOKEN.XXXX' })
  const draft = { name: 'Eve\u001b[2J', email: 'e@example.org\nSubject: x', subject: '\u202eyM' }
  const sealed = await contact.seal(open, { ...draft, message: 'One\r\n2026-01-01 00:00 UTC, from Ada\u0007' })
  await contact.verify(open, await sharedPlatform().mail.codeIn(fromEmail), sealed)
  const [code, output] = await run('read')
  expect([code, output.split('\n').slice(1)]).toEqual([
    0,
    ['Subject: \uFFFDyM', '  One', '  2026-01-01 00:00 UTC, from Ada\uFFFD', '', 'Messages: 1'],
  ])
  expect(output).toContain(', new, from Eve\uFFFD[2J <e@example.org\uFFFDSubject: x>\n')
})

it('needs the passphrase that it was given first', async () => {
  expect(await run('read', 'another passphrase')).toEqual([1, expect.stringContaining('KeyExportError')])
})

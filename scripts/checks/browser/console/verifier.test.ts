import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '@svc/platform/workspace'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keepScreenshot, Visit } from '../browser.fixture.ts'
import { type Evidence, makeEvidence, PASSPHRASE } from './evidence.fixture.ts'
import { check, choose, judged, openVerifier } from './verify-page.fixture.ts'

const visit = await Visit.begin()
let made: Evidence
beforeAll(async () => {
  made = await makeEvidence(visit.platform)
})
afterAll(() => visit.end())

const KINDS: readonly [kind: string, what: (evidence: Evidence) => unknown, says: (evidence: Evidence) => string][] = [
  ['identity', ({ did }) => did, () => 'The DID document resolves to the current root key.'],
  ['anchor', ({ anchor }) => anchor, ({ root }) => root],
  ['anchor', ({ anchorId }) => anchorId, ({ did }) => did],
  ['chain', ({ chain }) => chain, () => '2 blocks, each signed and linked to the one before.'],
  ['registration', ({ proof }) => proof, () => 'The signature fits the capsule and its key.'],
  ['checkpoints', ({ checkpoints }) => checkpoints, () => 'Each checkpoint contains everything before it'],
  ['receipt', ({ receipt }) => receipt, () => 'A service signed it as svc/quota-receipt/v1.'],
  ['message', ({ message }) => message, () => 'It is addressed to readers.'],
  ['page', ({ page }) => page, () => 'ai_training: disallow'],
]

it('evidence that holds is valid, and nothing of it is sent', async () => {
  const { page, complaints, sent } = await openVerifier(visit)
  for (const [kind, what, says] of KINDS) {
    await check(page, what(made))
    expect(await judged(page, `Valid: ${kind}`), kind).toContain(says(made))
  }
  expect(sent.filter(({ method, body }) => method !== 'GET' || body !== null)).toEqual([])
  expect(sent.filter(({ url }) => new URL(url).hostname !== 'localhost')).toEqual([])
  expect(complaints).toEqual([])
})

it.each<[string, (evidence: Evidence) => unknown, string]>([
  ['an anchor', ({ anchor }) => ({ ...anchor, record: { ...anchor.record, root: 'ab'.repeat(48) } }), 'anchor'],
  ['a chain', ({ chain: { blocks } }) => [blocks[0], { ...blocks[1], dataHash: 'ab'.repeat(48) }], 'chain'],
  ['a proof', ({ proof }) => ({ ...proof, capsule: { ...proof.capsule, issuedAt: 1 } }), 'registration'],
  ['a message', ({ message }) => ({ ...message, statement: { ...message.statement, text: 'Good night' } }), 'message'],
  ['a file that is cut', () => ({ format: 'svc/anchor-bundle/v1' }), 'anchor'],
])('%s that was changed is invalid', async (_, what, kind) => {
  const { page } = await openVerifier(visit)
  await check(page, what(made))
  expect(await judged(page, `Invalid: ${kind}`)).toContain('Do not rely on it.')
})

it('a dropped file that somebody registered is recognized by its hash', async () => {
  const { page, sent } = await openVerifier(visit)
  const dropped = await page.evaluateHandle(
    (bytes) => {
      const transfer = new DataTransfer()
      transfer.items.add(new File([new Uint8Array(bytes)], 'photo.png', { type: 'image/png' }))
      return transfer
    },
    [...made.file],
  )
  await page.dispatchEvent('main', 'dragover', { dataTransfer: dropped })
  await page.dispatchEvent('main', 'drop', { dataTransfer: dropped })
  const told = await judged(page, 'Valid: content')
  expect(told).toContain('The content is the one that was registered, byte for byte.')
  expect(told).toContain(made.did)
  expect(told).toContain('svc verify photo.png')
  expect(sent.filter(({ method }) => method !== 'GET')).toEqual([])
})

it('a file that nobody registered is unknown', async () => {
  const { page } = await openVerifier(visit)
  await choose(page, 'new.png', crypto.getRandomValues(new Uint8Array(99)), 'image/png')
  expect(await judged(page, 'Nothing known: content')).toContain('nobody has registered or anchored it here')
})

it('a proof of other content is invalid, with the file that it must be about', async () => {
  const { page } = await openVerifier(visit)
  await page.getByText('Options').click()
  await page
    .getByLabel('Content that it must be about')
    .setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: Buffer.from([1]) })
  await check(page, made.proof)
  expect(await judged(page, 'Invalid: registration')).toContain('Reason: content_mismatch (capsule)')
})

it('an anchor of other content is invalid, with the file that it must be about', async () => {
  const { page } = await openVerifier(visit)
  await page.getByText('Options').click()
  await page
    .getByLabel('Content that it must be about')
    .setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: Buffer.from([1]) })
  await check(page, made.anchor)
  expect(await judged(page, 'Invalid: anchor')).toContain('Reason: content_mismatch (anchor)')
})

it('a chain of somebody else is invalid for the DID that you expect', async () => {
  const { page } = await openVerifier(visit)
  await page.getByText('Options').click()
  await page.getByLabel('DID that it must be of').fill(`did:svc:${'A'.repeat(32)}`)
  await check(page, made.chain)
  await judged(page, 'Invalid: chain')
})

it('asks nobody if told so, and says what it needs', async () => {
  const { page, sent } = await openVerifier(visit)
  await page.getByText('Options').click()
  await page.getByLabel('Ask nobody').check()
  sent.length = 0
  await check(page, made.anchor)
  expect(await judged(page, 'Undecided: anchor')).toContain('The key of the log is not known here.')
  await page.getByLabel('Key of the log').fill(made.checkpoints.later.publicKeyB64u)
  await judged(page, 'Valid: anchor')
  expect(sent.map(({ url }) => url).filter((url) => !url.startsWith(visit.platform.consoleUrl))).toEqual([])
})

it('an export of keys is opened here, with its passphrase', async () => {
  const { page, sent } = await openVerifier(visit)
  await check(page, made.exported)
  await page.getByLabel('Passphrase of the export').fill('another passphrase')
  await page.getByRole('button', { name: 'Open' }).click()
  await judged(page, 'Invalid: export of keys')
  await check(page, made.exported)
  await page.getByLabel('Passphrase of the export').fill(PASSPHRASE)
  await page.getByRole('button', { name: 'Open' }).click()
  expect(await judged(page, 'Valid: export of keys')).toContain('It contains the root key of epoch 0.')
  expect(await page.getByRole('button', { name: 'Copy a link' }).count()).toBe(0)
  expect(sent.map(({ url }) => url).filter((url) => !url.startsWith(visit.platform.consoleUrl))).toEqual([])
})

it('a link carries the evidence in its fragment, which no server sees', async () => {
  const first = await openVerifier(visit, { permissions: ['clipboard-read', 'clipboard-write'] })
  await check(first.page, made.anchor)
  await judged(first.page, 'Valid: anchor')
  await first.page.getByRole('button', { name: 'Copy a link' }).click()
  await first.page.getByText('The link was copied.').waitFor()
  const link = new URL(await first.page.evaluate(() => navigator.clipboard.readText()))
  expect(link.hash.length).toBeGreaterThan(1000)
  const { page, sent } = await openVerifier(visit, { fragment: link.hash })
  expect(await judged(page, 'Valid: anchor')).toContain(made.root)
  expect(sent.filter(({ url }) => new URL(url).pathname.length > 300)).toEqual([])
})

it('works without a network once it was loaded', async () => {
  const { page } = await openVerifier(visit)
  await check(page, made.anchor)
  await judged(page, 'Valid: anchor')
  await page.evaluate(async () => navigator.serviceWorker.ready)
  await page.context().setOffline(true)
  await page.goto(`${visit.platform.consoleUrl}/verify/`)
  // The chain was not checked before: its code comes from what was kept.
  await check(page, made.chain)
  await judged(page, 'Valid: chain')
  await check(page, made.anchor)
  expect(await judged(page, 'Valid: anchor')).toContain(made.root)
})

describe('content that somebody changed', () => {
  it('a text is found by a passage, and only its fingerprint is sent', async () => {
    const { page, sent } = await openVerifier(visit)
    const passage = made.text.split(/\s+/).slice(5, 50).join(' ')
    await check(page, passage)
    await judged(page, 'Nothing known: content')
    await page.getByRole('button', { name: 'Look for copies' }).click()
    await page
      .getByText(/% of the passages/)
      .first()
      .waitFor()
    await keepScreenshot(page, 'verifier-similar-text')
    const [search] = sent.filter(({ method }) => method === 'POST')
    expect(search?.body).toContain('vectors')
    expect(search?.body).not.toMatch(/harbour|lightship|pilot/i)
  })

  it('an image with too little detail is not searched for', async () => {
    const { page } = await openVerifier(visit)
    await choose(page, 'plain.png', readFileSync(join(ROOT, 'scripts/checks/browser/one-colour.png')), 'image/png')
    await judged(page, 'Nothing known: content')
    await page.getByRole('button', { name: 'Look for copies' }).click()
    await page.getByText('It has too little text or detail to search for.').waitFor()
  })
})

it('speaks the language of the browser, and another one when asked', async () => {
  const { page } = await openVerifier(visit, { locale: 'de-DE' })
  await page.getByRole('heading', { level: 1, name: 'Prüfen' }).waitFor()
  expect(await page.evaluate(() => document.documentElement.lang)).toBe('de')
  await page.getByRole('textbox', { name: /^Oder einfügen/ }).fill(made.did)
  await page.getByRole('button', { name: 'Prüfen', exact: true }).click()
  expect(await judged(page, 'Gültig: Identität')).toContain('Das DID-Dokument führt zum aktuellen Hauptschlüssel.')
  await keepScreenshot(page, 'verifier-german')
  await page.getByRole('combobox', { name: 'Sprache' }).selectOption('English')
  await page.getByRole('heading', { level: 1, name: 'Verify' }).waitFor()
})

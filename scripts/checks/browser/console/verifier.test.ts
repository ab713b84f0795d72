import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashOf } from '@svc/client/functions'
import { fingerprintImage, type Pixels, registerImage } from '@svc/client/images'
import { ROOT } from '@svc/platform/workspace'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { picture } from '../../../../packages/fingerprint/src/images/pictures.fixture.ts'
import { keepScreenshot, Visit } from '../browser.fixture.ts'
import { type Evidence, makeEvidence, PASSPHRASE } from './evidence.fixture.ts'
import { check, choose, judged, openVerifier, type Sent, searchRecords, smallCopyOf } from './verify-page.fixture.ts'

const visit = await Visit.begin()
let made: Evidence
beforeAll(async () => {
  made = await makeEvidence(visit.platform)
})
afterAll(() => visit.end())

const NOT_COMPARED = ', the content was not compared'

/** Evidence about a content is valid only together with it: without it, a reader would take "valid" for the file at hand. */
const KINDS: readonly [verdict: string, what: (evidence: Evidence) => unknown, says: (evidence: Evidence) => string][] =
  [
    ['Valid: identity', ({ did }) => did, () => 'The DID document resolves to the current root key.'],
    [`Undecided: anchor${NOT_COMPARED}`, ({ anchor }) => anchor, ({ root }) => root],
    [`Undecided: anchor${NOT_COMPARED}`, ({ anchorId }) => anchorId, ({ did }) => did],
    ['Valid: chain', ({ chain }) => chain, () => '2 blocks, each signed and linked to the one before.'],
    [
      `Undecided: registration${NOT_COMPARED}`,
      ({ proof }) => proof,
      () => 'The signature fits the capsule and its key.',
    ],
    ['Valid: checkpoints', ({ checkpoints }) => checkpoints, () => 'Each checkpoint contains everything before it'],
    ['Valid: checkpoints', ({ directory }) => directory, () => 'Each checkpoint contains everything before it'],
    [`Undecided: capsule${NOT_COMPARED}`, ({ unregistered }) => unregistered, () => 'No registration was found'],
    [`Undecided: capsule${NOT_COMPARED}`, ({ record }) => record, ({ did }) => did],
    ['Valid: export of notes', ({ notes }) => notes, () => 'Attachments: 1.'],
    ['Valid: receipt', ({ receipt }) => receipt, () => 'A service signed it as svc/quota-receipt/v1.'],
    ['Valid: message', ({ message }) => message, () => 'It is addressed to readers.'],
    ['Valid: page', ({ page }) => page, () => 'ai_training: disallow'],
  ]

const askedFor = (sent: readonly Sent[]) => sent.filter(({ method, body }) => method !== 'GET' || body !== null)

it('evidence that holds is valid, or undecided without its content, and nothing of it is sent', async () => {
  const { page, complaints, sent } = await openVerifier(visit)
  for (const [verdict, what, says] of KINDS) {
    await check(page, what(made))
    expect(await judged(page, verdict), verdict).toContain(says(made))
  }
  expect(askedFor(sent)).toEqual([])
  expect(sent.filter(({ url }) => new URL(url).hostname !== 'localhost')).toEqual([])
  expect(complaints).toEqual([])
})

const WITH_CONTENT: readonly [
  kind: string,
  what: (evidence: Evidence) => unknown,
  content: (evidence: Evidence) => Uint8Array | string,
  says: string,
][] = [
  ['anchor', ({ anchor }) => anchor, ({ chain }) => JSON.stringify(chain), 'is what was anchored.'],
  ['registration', ({ proof }) => proof, ({ file }) => file, 'byte for byte.'],
  ['capsule', ({ record }) => record, ({ file }) => file, 'byte for byte.'],
  ['capsule', ({ unregistered }) => unregistered, ({ unregisteredFile }) => unregisteredFile, 'byte for byte.'],
]

it('evidence about a content is valid with it, and nothing of it is sent', async () => {
  const { page, complaints, sent } = await openVerifier(visit)
  await page.getByText('Options').click()
  for (const [kind, what, content, says] of WITH_CONTENT) {
    const file = { name: 'content', mimeType: '', buffer: Buffer.from(content(made)) }
    await page.getByLabel('Content that it must be about').setInputFiles(file)
    await check(page, what(made))
    expect(await judged(page, `Valid: ${kind}`), kind).toContain(says)
  }
  expect(askedFor(sent)).toEqual([])
  expect(complaints).toEqual([])
})

it('a pair of checkpoints with two roots for one size is a fork', async () => {
  const { page } = await openVerifier(visit)
  const { later } = made.directory
  await check(page, { earlier: later, later })
  expect(await judged(page, 'Valid: checkpoints')).toContain('with the same root.')
  // Only the log can sign a fork. Without its key, this is a checkpoint that somebody changed.
  await check(page, [later, { ...later, statement: { ...later.statement, root: 'ab'.repeat(48) } }])
  expect(await judged(page, 'Invalid: checkpoints')).toContain('Reason: invalid_signature (transparency)')
})

it('the opening of a commitment is valid for its content', async () => {
  const { page, sent } = await openVerifier(visit)
  await page.getByText('Options').click()
  await check(page, made.opening)
  await judged(page, 'Undecided: commitment, the content was not compared')
  const content = { name: 'plan.bin', mimeType: 'application/octet-stream', buffer: Buffer.from(made.plan) }
  await page.getByLabel('Content that it must be about').setInputFiles(content)
  expect(await judged(page, 'Valid: commitment')).toContain('The content and the salt make this commitment.')
  expect(sent.filter(({ method, url }) => method !== 'GET' || url.includes(made.opening.saltB64u))).toEqual([])
})

it('an encrypted file is named, asks nobody and goes into no link', async () => {
  const { page, sent } = await openVerifier(visit)
  await page.getByText('Options').click()
  sent.length = 0
  await check(page, '-----BEGIN AGE ENCRYPTED FILE-----\nYWdl\n-----END AGE ENCRYPTED FILE-----\n')
  expect(await judged(page, 'Undecided: encrypted file')).toContain('A file that age encrypted')
  expect(await page.getByRole('button', { name: 'Copy a link' }).count()).toBe(0)
  expect(sent.map(({ url }) => url).filter((url) => !url.startsWith(visit.platform.consoleUrl))).toEqual([])
})

it('shows who, what, since when and which log', async () => {
  const { page } = await openVerifier(visit)
  const fields = async () => page.locator('.picture li .value').allInnerTexts()
  // Without what a witness may have cosigned by now.
  await check(page, { ...made.anchor, first: null, cosigned: [] })
  await judged(page, 'Undecided: anchor, the content was not compared')
  const { log } = made.anchor.checkpoint.statement
  expect(await fields()).toEqual([made.did, made.root, expect.stringContaining(', as only the log says'), log])
  expect((await fields())[2]).toContain(String(new Date(made.anchor.record.createdAt).getFullYear()))
  await check(page, made.unregistered)
  await judged(page, 'Undecided: capsule, the content was not compared')
  const { assetId } = made.unregistered.capsule
  expect(await fields()).toEqual([made.did, assetId, expect.stringContaining('by the signer’s clock'), 'No log'])
})

it('a picture that was anchored shows since when and by which log, and says truly that nothing is uploaded', async () => {
  const { page, sent } = await openVerifier(visit)
  await page.getByText('nothing that you drop is uploaded').waitFor()
  await choose(page, 'photo.png', made.photo, 'image/png')
  await judged(page, 'Undecided: content')
  // Nobody is asked for a file that was only dropped.
  expect(sent.map(({ url }) => url).filter((url) => !url.startsWith(visit.platform.consoleUrl))).toEqual([])
  await searchRecords(page)
  const told = await judged(page, 'Valid: content')
  expect(told).toContain('The content that you gave is what was anchored.')
  const [who, , when, where] = await page.locator('.picture li .value').allInnerTexts()
  expect([who, where]).toEqual([made.did, made.anchor.checkpoint.statement.log])
  expect(when).toMatch(/as only the log says|at the latest, as witnesses say/)
  expect(sent.filter(({ method, body }) => method !== 'GET' || body !== null)).toEqual([])
  // What a request can carry besides is its address: the hash of the picture, and ids.
  const hash = await hashOf(made.photo)
  const bytes = [...(['hex', 'base64', 'base64url'] as const)].map((name) => Buffer.from(made.photo).toString(name))
  const asked = sent.map(({ url }) => url).filter((url) => !url.startsWith(visit.platform.consoleUrl))
  expect(asked.filter((url) => url.includes(hash)).length).toBeGreaterThan(0)
  expect(asked.filter((url) => url.length > 250 || bytes.some((text) => url.includes(text.slice(0, 16))))).toEqual([])
})

it.each<[string, (evidence: Evidence) => unknown, string]>([
  ['an anchor', ({ anchor }) => ({ ...anchor, record: { ...anchor.record, root: 'ab'.repeat(48) } }), 'anchor'],
  ['a chain', ({ chain: { blocks } }) => [blocks[0], { ...blocks[1], dataHash: 'ab'.repeat(48) }], 'chain'],
  ['a proof', ({ proof }) => ({ ...proof, capsule: { ...proof.capsule, issuedAt: 1 } }), 'registration'],
  ['a message', ({ message }) => ({ ...message, statement: { ...message.statement, text: 'Good night' } }), 'message'],
  ['a file that is cut', () => ({ format: 'svc/anchor-bundle/v2' }), 'anchor'],
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
  await searchRecords(page)
  const told = await judged(page, 'Valid: content')
  expect(told).toContain('The content is the one that was registered, byte for byte.')
  expect(told).toContain(made.did)
  expect(told).toContain('svc verify photo.png')
  expect(sent.filter(({ method }) => method !== 'GET')).toEqual([])
})

it('a file that nobody registered is unknown', async () => {
  const { page } = await openVerifier(visit)
  await choose(page, 'new.png', crypto.getRandomValues(new Uint8Array(99)), 'image/png')
  await searchRecords(page)
  expect(await judged(page, 'Nothing known: content')).toContain('No public record. A proof may exist.')
})

it('a file that was anchored blindly is found by nobody, and valid with its proof', async () => {
  const { page } = await openVerifier(visit)
  await choose(page, 'hidden.png', made.hidden, 'image/png')
  await searchRecords(page)
  expect(await judged(page, 'Nothing known: content')).toContain('No public record. A proof may exist.')
  await page.getByText('Options').click()
  const file = { name: 'hidden.png', mimeType: 'image/png', buffer: Buffer.from(made.hidden) }
  await page.getByLabel('Content that it must be about').setInputFiles(file)
  await check(page, made.blind)
  expect(await judged(page, 'Valid: anchor')).toContain('The content that you gave is what was anchored.')
  const { nonceB64u: _, ...withoutNonce } = made.blind
  await check(page, withoutNonce)
  await judged(page, 'Invalid: anchor')
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
  await judged(page, 'Undecided: anchor, the content was not compared')
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
  await judged(first.page, 'Undecided: anchor, the content was not compared')
  await first.page.getByRole('button', { name: 'Copy a link' }).click()
  await first.page.getByText('The link was copied.').waitFor()
  const link = new URL(await first.page.evaluate(() => navigator.clipboard.readText()))
  expect(link.hash.length).toBeGreaterThan(1000)
  const { page, sent } = await openVerifier(visit, { fragment: link.hash })
  expect(await judged(page, 'Undecided: anchor, the content was not compared')).toContain(made.root)
  expect(sent.filter(({ url }) => new URL(url).pathname.length > 300)).toEqual([])
})

it('works without a network once it was loaded', async () => {
  const { page } = await openVerifier(visit)
  await check(page, made.anchor)
  await judged(page, 'Undecided: anchor, the content was not compared')
  await page.evaluate(async () => navigator.serviceWorker.ready)
  await page.context().setOffline(true)
  await page.goto(`${visit.platform.consoleUrl}/verify/`)
  // The chain was not checked before: its code comes from what was kept.
  await check(page, made.chain)
  await judged(page, 'Valid: chain')
  await check(page, made.anchor)
  expect(await judged(page, 'Undecided: anchor, the content was not compared')).toContain(made.root)
})

/** With enough detail to be told from others as a small copy too. */
function detailedPicture(): Pixels {
  for (;;) {
    const drawn = picture(Math.floor(Math.random() * 2 ** 31), 320, 240)
    if (fingerprintImage(drawn).quality >= 80) return drawn
  }
}

describe('content that somebody changed', () => {
  it('a text is found by a passage, and only its fingerprint is sent', async () => {
    const { page, sent } = await openVerifier(visit)
    const passage = made.text.split(/\s+/).slice(5, 50).join(' ')
    await check(page, passage)
    await judged(page, 'Undecided: content')
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

  it('a picture is found by a smaller copy, and only its fingerprint is sent', async () => {
    const { page, sent } = await openVerifier(visit)
    const original = detailedPicture()
    const file = crypto.getRandomValues(new Uint8Array(64))
    const { assetId } = await registerImage(made.client.provenance, file, original, { mime: 'image/png' })
    const copy = await smallCopyOf(page, original)
    await choose(page, 'copy.jpg', copy, 'image/jpeg')
    await judged(page, 'Undecided: content')
    await page.getByRole('button', { name: 'Look for copies' }).click()
    const match = page.getByRole('listitem').filter({ hasText: assetId })
    await match.getByText(/^\d+ of 256 bits differ$/).waitFor()
    await keepScreenshot(page, 'verifier-similar-picture')
    const searches = sent.filter(({ method }) => method !== 'GET')
    expect(searches).toHaveLength(1)
    const { vectors, ...rest } = JSON.parse(searches[0]?.body ?? '') as { vectors: readonly number[][] }
    expect(new Set(vectors.flat())).toEqual(new Set([1, -1]))
    expect(JSON.stringify(rest).length).toBeLessThan(100)
  })

  it('an image with too little detail is not searched for', async () => {
    const { page } = await openVerifier(visit)
    await choose(page, 'plain.png', readFileSync(join(ROOT, 'scripts/checks/browser/one-colour.png')), 'image/png')
    await judged(page, 'Undecided: content')
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

import { encodeBase64url } from '@svc/protocol/base/base64url'
import { signStatement, statementHash } from '@svc/protocol/base/statement'
import { type NoteSubmission, noteAad } from '@svc/protocol/notes/notes'
import { deviceOf, inceptionHeadOf, signerOf, type TestCaller } from '@svc/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { freshCaller, send, sendWith } from '../harness.ts'
import {
  ask,
  freshCiphertext,
  kept,
  NOTHING_KEPT,
  noteBy,
  post,
  stored,
  storedKeys,
  vaultPath,
  WRAPPED,
} from './notes.fixture.ts'

let writer: TestCaller
let other: TestCaller
beforeAll(async () => {
  ;[writer, other] = await Promise.all([freshCaller(), freshCaller()])
})

const resigned = async (submission: NoteSubmission, statement: object, by = writer): Promise<NoteSubmission> => ({
  ...(await signStatement({ ...submission.statement, ...statement }, signerOf(by.identity))),
  ciphertextB64u: submission.ciphertextB64u,
})

describe('POST /api/notes/{did}', () => {
  it('accepts versions in order and returns their place', async () => {
    const author = await freshCaller()
    const first = await noteBy(author)
    const { noteId } = first.statement.header
    const before = Date.now()
    const { status, data } = await post(author, first)
    const recordHash = statementHash(first.statement)
    expect({ status, data }).toEqual({
      status: 200,
      data: { noteId, version: 1, seq: 0, recordHash, acceptedAt: expect.any(Number) },
    })
    expect(data['acceptedAt']).toBeGreaterThanOrEqual(before)
    const update = await noteBy(author, { noteId, operation: 'update', statement: { follows: recordHash } })
    expect((await post(author, update)).data).toMatchObject({ version: 2, seq: 1 })
    const attaching = await noteBy(author, { noteId, operation: 'attach', statement: { follows: recordHash } })
    expect((await post(author, attaching)).data).toMatchObject({ version: 3, seq: 2 })
    expect((await post(author, await noteBy(author))).data).toMatchObject({ version: 1, seq: 3 })
  })

  it('keeps two versions that follow the same one', async () => {
    const first = await stored(writer)
    const { noteId } = first.statement.header
    const follows = statementHash(first.statement)
    for (const version of [2, 3]) {
      const update = await noteBy(writer, { noteId, operation: 'update', statement: { follows } })
      expect((await post(writer, update)).data).toMatchObject({ version })
    }
    const { data } = await ask(writer, 'GET', vaultPath(writer, `/${noteId}/versions`))
    expect(data['versions']).toMatchObject([{ follows: null }, { follows }, { follows }])
  })

  it('refuses a version that names an older event than the version it follows', async () => {
    const author = await freshCaller()
    const genesis = await inceptionHeadOf(author)
    await deviceOf(author, { fetch: send, capabilities: ['notes:write'] })
    const inception = await inceptionHeadOf(author)
    const first = await stored(author, { statement: { inception } })
    const { noteId } = first.statement.header
    const update = (statement: object) => noteBy(author, { noteId, operation: 'update', statement })
    const follows = statementHash(first.statement)
    for (const older of [null, genesis]) {
      const refused = await post(author, await update({ follows, inception: older }))
      expect(refused).toMatchObject({ status: 409, error: 'older_event', body: { details: { inception } } })
    }
    expect((await post(author, await update({ follows, inception }))).status).toBe(200)
    expect((await post(author, await update({ follows: null, inception: null }))).status).toBe(200)
  })

  it('refuses a version that names an event which the inception log does not have', async () => {
    const author = await freshCaller()
    const { hash } = await inceptionHeadOf(author)
    const invented = [
      { sequence: Number.MAX_SAFE_INTEGER, hash },
      { sequence: 0, hash: 'ab'.repeat(48) },
      await inceptionHeadOf(other),
    ]
    for (const inception of invented) {
      const refused = await post(author, await noteBy(author, { statement: { inception } }))
      expect(refused).toMatchObject({ status: 409, error: 'unknown_event' })
    }
    expect(await kept(author)).toEqual(NOTHING_KEPT)
    await stored(author, { statement: { inception: { sequence: 0, hash } } })
  })

  it('accepts the same statement once, whatever was appended since, and keeps one object in the store', async () => {
    const author = await freshCaller()
    const first = await noteBy(author)
    const answer = await post(author, first)
    const { noteId } = first.statement.header
    await stored(author, { noteId, operation: 'update' })
    const again = await post(author, first)
    expect(again.data).toEqual(answer.data)
    const full = await post(author, first, { fetch: sendWith({ NOTES_QUOTA_BYTES: 0 }) })
    expect(full.data).toEqual(answer.data)
    expect((await ask(author, 'GET', vaultPath(author))).data).toMatchObject({ size: 2 })
    expect((await ask(author, 'GET', vaultPath(author, '/storage'))).data).toMatchObject({
      bytesUsed: 128,
      objectCount: 2,
    })
  })

  it('accepts 37 readers, one of each, and both wraps', async () => {
    const readers = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ ...WRAPPED, kemKeyId: encodeBase64url(new Uint8Array(24).fill(i)) }))
    const { wrappedB64u: _, ...reader } = WRAPPED
    const gcm = {
      ...reader,
      wrap: 'aes-gcm',
      nonceB64u: encodeBase64url(new Uint8Array(12)),
      wrappedB64u: encodeBase64url(new Uint8Array(48)),
    }
    await stored(writer, { statement: { wrappedKeys: readers(37) } })
    await stored(writer, { statement: { wrappedKeys: [gcm] } })
    const refused = async (wrappedKeys: object[]) =>
      (await post(writer, await noteBy(writer, { statement: { wrappedKeys } }))).status
    expect([await refused([]), await refused([WRAPPED, WRAPPED]), await refused(readers(38))]).toEqual([400, 400, 413])
  })

  it.each([
    ['cas'],
    ['export'],
    ['storage'],
    ['.hidden'],
    ['~x'],
    ['a/b'],
    ['a b'],
    [''],
    ['n'.repeat(129)],
    ['é'],
    ['..'],
  ])('takes no note of the name "%s"', async (noteId) => {
    const refused = await post(writer, await noteBy(writer, { noteId }))
    expect(refused).toMatchObject({ status: 400, error: 'invalid_request' })
  })

  it.each(['n'.repeat(128), '-', 'Cas', 'a.~_-', '__proto__', 'constructor', 'null'])(
    'takes a note of the name "%s"',
    async (noteId) => {
      await stored(writer, { noteId })
      const { data } = await ask(writer, 'GET', vaultPath(writer, `/${noteId}`))
      expect(data).toMatchObject({ noteId, version: 1 })
    },
  )
})

describe('the errors of an append', () => {
  it('reject a create if the name is taken, and an update or attach if it is free', async () => {
    const { statement } = await stored(writer)
    const { noteId } = statement.header
    expect(await post(writer, await noteBy(writer, { noteId }))).toMatchObject({ status: 409, error: 'note_exists' })
    for (const operation of ['update', 'attach'] as const) {
      expect(await post(writer, await noteBy(writer, { operation }))).toMatchObject({ status: 404, error: 'not_found' })
    }
    const deleting = await noteBy(writer, { noteId, header: { operation: 'delete' } })
    expect(await post(writer, deleting)).toMatchObject({ status: 400, error: 'invalid_request' })
  })

  it('reject another owner’s statement and a header of another key', async () => {
    expect(await post(writer, await noteBy(other))).toMatchObject({ status: 403, error: 'owner_mismatch' })
    const named = await noteBy(writer, { header: { userId: other.identity.userId } })
    expect(await post(writer, named)).toMatchObject({ status: 403, error: 'owner_mismatch' })
  })

  it('reject a keyId other than the asserting key’s', async () => {
    const good = await noteBy(writer)
    const claimed = await resigned(good, { keyId: other.identity.userId }, other)
    expect(await post(writer, claimed)).toMatchObject({ status: 403, error: 'not_eligible' })
  })

  it('reject the digest of another header', async () => {
    const good = await noteBy(writer)
    const aadB64u = noteAad({ ...good.statement.header, timestamp: '2026-01-01T00:00:00Z' })
    expect(await post(writer, await resigned(good, { aadB64u }))).toMatchObject({ status: 400, error: 'aad_mismatch' })
  })

  it('reject a ciphertext of another hash or length', async () => {
    const good = await noteBy(writer)
    const swapped = { ...good, ciphertextB64u: encodeBase64url(freshCiphertext(64)) }
    expect(await post(writer, swapped)).toMatchObject({ status: 400, error: 'hash_mismatch' })
    const ciphertext = freshCiphertext(64)
    for (const contentLength of [63, 65]) {
      const misstated = await noteBy(writer, { ciphertext, header: { contentLength } })
      expect(await post(writer, misstated)).toMatchObject({ status: 400, error: 'hash_mismatch' })
    }
    expect(await post(writer, await noteBy(writer, { ciphertext: freshCiphertext(15) }))).toMatchObject({ status: 400 })
  })

  it('reject a signature by another key or over another statement', async () => {
    const good = await noteBy(writer)
    expect(await post(writer, await resigned(good, {}, other))).toMatchObject({
      status: 403,
      error: 'invalid_signature',
    })
    const { signatureB64u } = await noteBy(writer)
    expect(await post(writer, { ...good, signatureB64u })).toMatchObject({ status: 403, error: 'invalid_signature' })
    const dated = { ...good, statement: { ...good.statement, issuedAt: 1 } }
    expect(await post(writer, dated)).toMatchObject({ status: 403, error: 'invalid_signature' })
  })

  it('come in a fixed order: owner, key, digest, hash, signature', async () => {
    const good = await noteBy(writer)
    const worst = {
      ...good,
      ciphertextB64u: encodeBase64url(freshCiphertext(64)),
      statement: { ...good.statement, did: other.identity.did, keyId: other.identity.userId, aadB64u: 'A'.repeat(64) },
    }
    const { did, keyId, aadB64u } = good.statement
    const steps = [{}, { did }, { keyId }, { aadB64u }]
    const errors = []
    let statement: object = worst.statement
    for (const step of steps) {
      statement = { ...statement, ...step }
      errors.push((await post(writer, { ...worst, statement })).error)
    }
    const unsigned = { ...good, signatureB64u: (await noteBy(writer)).signatureB64u }
    errors.push((await post(writer, unsigned)).error)
    expect(errors).toEqual(['owner_mismatch', 'not_eligible', 'aad_mismatch', 'hash_mismatch', 'invalid_signature'])
  })

  it('reject more than 704 KiB and a tag, and more than 1 MiB in all', async () => {
    const whole = await noteBy(writer, { ciphertext: freshCiphertext(704 * 1024 + 16) })
    expect((await post(writer, whole)).status).toBe(200)
    const longer = await noteBy(writer, { ciphertext: freshCiphertext(704 * 1024 + 17) })
    expect(await post(writer, longer)).toMatchObject({ status: 400, error: 'invalid_request' })
    const text = JSON.stringify(await noteBy(writer))
    const atCap = text + ' '.repeat(1024 * 1024 - text.length)
    expect((await post(writer, `${atCap} `)).status).toBe(413)
    expect((await post(writer, atCap)).status).toBe(200)
  })

  it('reject a body of another type', async () => {
    const good = await noteBy(writer)
    const typed = await post(writer, good, { headers: { 'content-type': 'text/plain' } })
    expect(typed).toMatchObject({ status: 415, error: 'unsupported_media_type' })
  })

  it('leave no table and no object', async () => {
    const author = await freshCaller()
    const good = await noteBy(author)
    const refusals = [
      await noteBy(other),
      await noteBy(author, { operation: 'update' }),
      { ...good, ciphertextB64u: encodeBase64url(freshCiphertext(64)) },
      { ...good, signatureB64u: (await noteBy(author)).signatureB64u },
    ]
    for (const refused of refusals) expect((await post(author, refused)).status).not.toBe(200)
    expect((await post(author, good, { fetch: sendWith({ NOTES_QUOTA_BYTES: 63 }) })).status).toBe(402)
    expect(await kept(author)).toEqual(NOTHING_KEPT)
    expect(await storedKeys(author)).toEqual([])
  })
})

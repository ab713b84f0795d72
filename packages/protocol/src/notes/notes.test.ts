import { sha3_384 } from '@svc/pqc/sha3'
import { describe, expect, it } from 'vitest'
import { encodeBase64url } from '../base/base64url.ts'
import { GCM, KWP, noteOf } from './notes.fixture.ts'
import {
  attachmentIdSchema,
  MAX_NOTE_BODY_BYTES,
  MAX_NOTE_CIPHERTEXT_BYTES,
  noteAad,
  noteIdSchema,
  noteStatementSchema,
  noteSubmissionSchema,
  signedNoteSchema,
  wrappedKeySchema,
} from './notes.ts'

const submission = await noteOf('n1', 1)
const { statement } = submission
const bytes = (length: number) => encodeBase64url(new Uint8Array(length))
const isStatement = (members: object) => noteStatementSchema.safeParse({ ...statement, ...members }).success
const withHeader = (members: object) => isStatement({ header: { ...statement.header, ...members } })

describe('a version of a note', () => {
  it('is accepted as a client signs it', () => {
    const { ciphertextB64u: _, ...signed } = submission
    expect(noteSubmissionSchema.parse(submission)).toEqual(submission)
    expect(signedNoteSchema.parse(signed)).toEqual(signed)
  })

  it.each(Object.keys(statement))('requires %s', (member) => {
    const { [member as 'type']: _, ...rest } = statement
    expect(noteStatementSchema.safeParse(rest).success).toBe(false)
  })

  it.each([
    { type: 'svc/note/v1' },
    { did: 'did:web:x' },
    { keyId: 'ab' },
    { cipher: 'aes-128-gcm' },
    { cipher: 'chacha20-poly1305' },
    { nonceB64u: bytes(11) },
    { nonceB64u: bytes(13) },
    { aadB64u: bytes(47) },
    { cipherHash: 'A7'.repeat(48) },
    { keyHash: 'A7'.repeat(48) },
    { follows: 'none' },
    { follows: '' },
    { issuedAt: -1 },
    { wrappedKeys: [] },
    { wrappedKeys: [KWP, GCM] },
    { words: 1 },
  ])('is refused with %j', (members) => {
    expect(isStatement(members)).toBe(false)
  })

  it('has one to 37 distinct readers', () => {
    const readers = (n: number) =>
      Array.from({ length: n }, (_, i) => ({ ...KWP, kemKeyId: encodeBase64url(new Uint8Array(24).fill(i)) }))
    expect(isStatement({ wrappedKeys: readers(1) })).toBe(true)
    expect(isStatement({ wrappedKeys: readers(37) })).toBe(true)
    expect(isStatement({ wrappedKeys: readers(38) })).toBe(false)
    expect(isStatement({ wrappedKeys: [...readers(2), readers(1)[0]] })).toBe(false)
  })

  it.each([
    { operation: 'delete' },
    { contentLength: 15 },
    { contentLength: MAX_NOTE_CIPHERTEXT_BYTES + 1 },
    { contentLength: 64.5 },
    { noteId: 'cas' },
    { noteId: '.x' },
    { timestamp: 'today' },
    { title: 'x' },
    { app: { name: 'x', version: '1', tags: [] } },
    { ext: { words: { of: 'a note' } } },
    { ext: { poem: 'two words' } },
    { ext: { poem: 'x'.repeat(129) } },
    { contentType: 'text/plain' },
    { deviceId: 'my phone' },
    { app: { name: 'two words', version: '1' } },
  ])('is refused with the header %j', (members) => {
    expect(withHeader(members)).toBe(false)
  })

  it.each([{ operation: 'update' }, { operation: 'attach' }, { contentLength: 16 }, { ext: { restored: 'x' } }])(
    'is accepted with the header %j',
    (members) => {
      expect(withHeader(members)).toBe(true)
    },
  )

  it('fits into a body at maximum length with 37 readers', () => {
    const wrappedKeys = Array.from({ length: 37 }, (_, i) => ({
      ...GCM,
      kemKeyId: encodeBase64url(new Uint8Array(24).fill(i)),
    }))
    const longest = {
      ...submission,
      statement: { ...statement, wrappedKeys },
      ciphertextB64u: bytes(MAX_NOTE_CIPHERTEXT_BYTES),
    }
    expect(noteSubmissionSchema.safeParse(longest).success).toBe(true)
    expect(JSON.stringify(longest).length).toBeLessThan(MAX_NOTE_BODY_BYTES)
    const longer = { ...submission, ciphertextB64u: bytes(MAX_NOTE_CIPHERTEXT_BYTES + 1) }
    expect(noteSubmissionSchema.safeParse(longer).success).toBe(false)
  })

  it('is bound to its header by SHA3-384 over the canonical bytes', () => {
    const { userId, noteId } = statement.header
    const canonical =
      `{"app":{"name":"tests","version":"1"},"contentLength":64,"contentType":"application/octet-stream",` +
      `"deviceId":"root","noteId":"${noteId}","operation":"create","timestamp":"2026-09-21T14:13:20.000Z","userId":"${userId}"}`
    expect(statement.aadB64u).toBe(encodeBase64url(sha3_384(new TextEncoder().encode(canonical))))
    expect(noteAad({ ...statement.header, operation: 'update' })).not.toBe(statement.aadB64u)
  })
})

describe('a wrapped key', () => {
  it('is of RFC 5649 or AES-GCM, at its length', () => {
    expect(wrappedKeySchema.parse(KWP)).toEqual(KWP)
    expect(wrappedKeySchema.parse(GCM)).toEqual(GCM)
  })

  it.each([
    { ...KWP, wrap: 'aes-kw' },
    { ...KWP, wrap: 'aes-gcm' },
    { ...GCM, wrap: 'aes-kwp' },
    { ...KWP, wrappedB64u: bytes(39) },
    { ...KWP, wrappedB64u: bytes(48) },
    { ...GCM, wrappedB64u: bytes(32) },
    { ...GCM, nonceB64u: bytes(16) },
    { ...KWP, kemCiphertextB64u: bytes(1087) },
    { ...KWP, ephemeralB64u: undefined },
    { ...KWP, ephemeralB64u: bytes(32) },
    { ...KWP, kemKeyId: bytes(23) },
    { ...KWP, dek: bytes(32) },
  ])('has no other form', (wrapped) => {
    expect(wrappedKeySchema.safeParse(wrapped).success).toBe(false)
  })
})

describe('an id', () => {
  it.each(['a', 'A-Z_a.z~9', '-', '_', '1', 'casx', 'Cas', 'exports', 'x'.repeat(128)])('may be %j', (name) => {
    expect(noteIdSchema.safeParse(name).success).toBe(true)
    expect(attachmentIdSchema.safeParse(name).success).toBe(true)
  })

  it.each(['', '.', '..', '.a', '~a', 'a/b', 'a b', 'a%2f', 'é', 'a\n', '\na', 'x'.repeat(129)])(
    'must not be %j',
    (name) => {
      expect(noteIdSchema.safeParse(name).success).toBe(false)
      expect(attachmentIdSchema.safeParse(name).success).toBe(false)
    },
  )

  it.each(['cas', 'export', 'storage'])('of a note must not be %j, which is a route', (name) => {
    expect(noteIdSchema.safeParse(name).success).toBe(false)
    expect(attachmentIdSchema.safeParse(name).success).toBe(true)
  })

  it('is unchanged by a URL', () => {
    for (const name of ['a.', 'a~b', '-', '_..', 'a..b'])
      expect(new URL(`https://x.test/n/${name}/v`).pathname).toBe(`/n/${name}/v`)
  })
})

import { describe, expect, it } from 'vitest'
import { type NoteHeader, noteHeaderSchema, preparedHeaderSchema, prepareHeader } from './headers.ts'

const header: NoteHeader = {
  userId: '3c'.repeat(48),
  noteId: 'n1',
  deviceId: 'laptop',
  operation: 'create',
  contentType: 'text/plain',
  contentLength: 12,
  timestamp: '2026-10-23T10:00:00Z',
  app: { name: 'notes', version: '1.2.0' },
}
/** SHA3-384 from OpenSSL over handwritten canonical JSON of the header. */
const AAD = 'qgbK_6Uk3_tt5YpGnwNwvJjoZTxNLCfXLD_hYDFHuNNO3LDYvwmsYkTSMWMb5cmB'

const accepts = (members: object) => noteHeaderSchema.safeParse({ ...header, ...members }).success

describe('prepareHeader', () => {
  it('returns the header, its digest and the policy', () => {
    expect(prepareHeader(header)).toEqual({ header, aadB64u: AAD, policyVersion: 'v2', aadHashAlg: 'sha3-384' })
    expect(preparedHeaderSchema.parse(prepareHeader(header))).toEqual(prepareHeader(header))
  })

  it('computes the same digest for any member order, at every depth', () => {
    const entries = Object.entries({ ...header, app: { version: '1.2.0', name: 'notes' } })
    expect(prepareHeader(Object.fromEntries(entries.toReversed()) as NoteHeader).aadB64u).toBe(AAD)
  })

  it.each([
    { userId: '3d'.repeat(48) },
    { noteId: 'n2' },
    { deviceId: 'phone' },
    { operation: 'update' as const },
    { contentType: 'text/html' },
    { contentLength: 13 },
    { timestamp: '2026-10-23T10:00:00.000Z' },
    { app: { name: 'notes', version: '1.2.1' } },
    { ext: {} },
    { ext: { pinned: true } },
  ])('computes another digest with %j', (members) => {
    expect(prepareHeader({ ...header, ...members }).aadB64u).not.toBe(AAD)
  })
})

describe('noteHeaderSchema', () => {
  it('accepts every operation, and values of ext that are strings, numbers or booleans', () => {
    for (const operation of ['create', 'update', 'delete', 'attach']) expect(accepts({ operation })).toBe(true)
    expect(accepts({ ext: { a: 'x', b: 1.5, c: false, '': '' } })).toBe(true)
    expect(accepts({ contentLength: 0, timestamp: '2026-10-23T10:00:00.123456Z', noteId: '😀' })).toBe(true)
  })

  it.each(Object.keys(header))('requires %s', (member) => {
    expect(accepts({ [member]: undefined })).toBe(false)
  })

  it.each([
    { userId: 'alice' },
    { noteId: '' },
    { noteId: 'x'.repeat(1025) },
    { deviceId: 5 },
    { operation: 'read' },
    { contentType: '' },
    { contentLength: -1 },
    { contentLength: 1.5 },
    { contentLength: '12' },
    { timestamp: '2026-10-23T10:00:00+00:00' },
    { timestamp: '2026-10-23T10:00:00' },
    { timestamp: '2026-10-23T10:00Z' },
    { timestamp: '2026-02-30T10:00:00Z' },
    { timestamp: 1_790_000_000_000 },
    { app: { name: 'notes' } },
    { app: { name: 'notes', version: '1', os: 'x' } },
    { ext: { a: null } },
    { ext: { a: ['x'] } },
    { ext: { a: Number.POSITIVE_INFINITY } },
    { ext: [] },
    { extra: 'x' },
  ])('refuses %j', (members) => {
    expect(accepts(members)).toBe(false)
  })

  it.each([
    { noteId: '\ud800' },
    { deviceId: 'a\udc00' },
    { contentType: '\udfff' },
    { app: { name: '\ud800', version: '1' } },
    { app: { name: 'a', version: '\ud800' } },
    { ext: { '\ud800': 'x' } },
    { ext: { a: '\ud800' } },
  ])('refuses the lone surrogate of case %#, which has no canonical form', (members) => {
    expect(accepts(members)).toBe(false)
    expect(() => prepareHeader({ ...header, ...members })).toThrow()
  })
})

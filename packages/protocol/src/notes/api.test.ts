import { describe, expect, it } from 'vitest'
import { REALM } from '../../test/realm.fixture.ts'
import { signStatement } from '../base/statement.ts'
import {
  attachmentQuerySchema,
  collectRequestSchema,
  exportQuerySchema,
  indexQuerySchema,
  rebuildRequestSchema,
  versionParamsSchema,
} from './api.ts'
import { alice, NOW } from './notes.fixture.ts'

describe('the cursor of an export', () => {
  it('contains the position and the size of the log', () => {
    expect(exportQuerySchema.parse({ cursor: '100.250' })).toEqual({ cursor: { from: 100, size: 250 } })
    expect(exportQuerySchema.parse({ cursor: '0.0' })).toEqual({ cursor: { from: 0, size: 0 } })
    expect(exportQuerySchema.parse({})).toEqual({})
  })

  it.each(['', '1', '1.', '.1', '1.2.3', '-1.2', '1e3.2', ' 1.2', '1.2\n', 'a.b', '1,2', `1.${'9'.repeat(13)}`])(
    'is not valid: %j',
    (cursor) => {
      expect(exportQuerySchema.safeParse({ cursor }).success).toBe(false)
    },
  )
})

describe('a number in a query', () => {
  it.each(['0', '1', '1000', '007', '999999999999999'])('may be %s', (text) => {
    expect(indexQuerySchema.parse({ cursor: text, limit: text })).toEqual({ cursor: Number(text), limit: Number(text) })
    expect(Number.isSafeInteger(Number(text))).toBe(true)
  })

  it.each(['', '-1', '1.5', '1e3', '0x10', ' 1', '1 ', '９', 'NaN', 'Infinity', '1'.repeat(16)])(
    'must not be %j',
    (text) => {
      expect(indexQuerySchema.safeParse({ limit: text }).success).toBe(false)
      expect(versionParamsSchema.safeParse({ did: alice.did, noteId: 'n', v: text }).success).toBe(false)
    },
  )

  it('allows no unknown parameters', () => {
    expect(indexQuerySchema.safeParse({ since: '1' }).success).toBe(false)
  })
})

describe('the query of an attachment', () => {
  const cipherHash = 'a7'.repeat(48)

  it('names its hash and can reuse stored ciphertext', () => {
    expect(attachmentQuerySchema.parse({ cipherHash })).toEqual({ cipherHash })
    expect(attachmentQuerySchema.parse({ cipherHash, reuse: 'true' })).toEqual({ cipherHash, reuse: 'true' })
  })

  it.each([
    {},
    { cipherHash: 'a7' },
    { cipherHash: cipherHash.toUpperCase() },
    { cipherHash, reuse: 'false' },
    { cipherHash, reuse: '' },
    { cipherHash, name: 'x' },
  ])('is not %j', (query) => {
    expect(attachmentQuerySchema.safeParse(query).success).toBe(false)
  })
})

describe('a statement of the owner', () => {
  const signedAs = (type: 'svc/note-gc/v1' | 'svc/note-rebuild/v1') =>
    signStatement({ type, realm: REALM, did: alice.did, inception: null, issuedAt: NOW }, alice.sign)

  it('is valid only for its own route', async () => {
    const [collect, rebuild] = [await signedAs('svc/note-gc/v1'), await signedAs('svc/note-rebuild/v1')]
    expect(collectRequestSchema.parse(collect)).toEqual(collect)
    expect(rebuildRequestSchema.parse({ ...rebuild, dryRun: true })).toEqual({ ...rebuild, dryRun: true })
    expect(collectRequestSchema.safeParse(rebuild).success).toBe(false)
    expect(rebuildRequestSchema.safeParse(collect).success).toBe(false)
    expect(collectRequestSchema.safeParse({ ...collect, dryRun: true }).success).toBe(false)
  })
})

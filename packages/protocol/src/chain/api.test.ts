import { describe, expect, it } from 'vitest'
import { blockIdSchema, blocksQuerySchema, headAnswerSchema, indexingSchema } from './api.ts'

describe('blocksQuerySchema', () => {
  it('parses integers', () => {
    expect(blocksQuerySchema.parse({ from: '0', to: '007', limit: '200' })).toEqual({ from: 0, to: 7, limit: 200 })
    expect(blocksQuerySchema.parse({})).toEqual({})
  })

  it.each(['', '--1', '1.5', '1e3', '0x10', ' 1', '1000000000000000', 'NaN'])('refuses from=%j', (from) => {
    expect(blocksQuerySchema.safeParse({ from }).success).toBe(false)
  })

  it('refuses unknown parameters and an empty contentType', () => {
    expect(blocksQuerySchema.safeParse({ offset: '1' }).success).toBe(false)
    expect(blocksQuerySchema.safeParse({ contentType: '' }).success).toBe(false)
  })
})

describe('blockIdSchema', () => {
  it.each(['0', '12', '999999999999999', 'a7'.repeat(48)])('accepts %s', (id) => {
    expect(blockIdSchema.safeParse(id).success).toBe(true)
  })

  it.each(['', '01', '-1', '1000000000000000', 'A7'.repeat(48), 'a7'.repeat(47), 'head'])('refuses %j', (id) => {
    expect(blockIdSchema.safeParse(id).success).toBe(false)
  })
})

describe('indexing', () => {
  it('is only valid as a rebuild with its progress', () => {
    const head = { did: `did:svc:${'PDw8'.repeat(8)}`, index: '3', hash: 'a7'.repeat(48) }
    const indexing = { state: 'rebuilding', done: 1, total: 4 }
    expect(headAnswerSchema.safeParse(head).success).toBe(true)
    expect(headAnswerSchema.parse({ ...head, indexing })).toEqual({ ...head, indexing })
    expect(headAnswerSchema.safeParse({ ...head, indexing: null }).success).toBe(false)
    expect(indexingSchema.safeParse({ ...indexing, state: 'done' }).success).toBe(false)
    expect(indexingSchema.safeParse({ ...indexing, done: 0.5 }).success).toBe(false)
  })
})

import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { collectionError, hasCappedCollection, refusalOf } from './collections.ts'

const capped = z.array(z.int()).min(1).max(2)
const body = z.strictObject({ name: z.string().max(3), list: capped, signs: z.array(z.int()).length(2).optional() })

function refused(value: unknown, tooMany?: 'too_many_vectors') {
  const { error } = body.safeParse(value)
  if (!error) throw new Error('taken')
  const refusal = refusalOf('body', error, tooMany)
  return { status: refusal.status, error: refusal.error, message: refusal.message, details: refusal.options.details }
}

describe('a collection above its cap', () => {
  const details = { collection: 'body.list', limit: 2 }

  it('is 413 with its name and its cap', () => {
    expect(refused({ name: 'a', list: [1, 2, 3] })).toEqual({
      status: 413,
      error: 'too_many_items',
      message: 'body.list: can have at most 2 items; send fewer',
      details,
    })
  })

  it('is 413 whatever else is wrong with the body', () => {
    expect(refused({ name: 1, list: [null, null, null], other: 1 })).toMatchObject({ status: 413, details })
  })

  it('has the name that its operation gives it', () => {
    const own = collectionError(details, 'too_many_vectors')
    expect(refused({ list: [1, 2, 3] }, 'too_many_vectors')).toEqual({
      status: 413,
      error: 'too_many_vectors',
      message: own.message,
      details,
    })
    expect(own.message).toBe('Too many vectors for one search; the capabilities state the limit')
  })
})

it.each<[string, unknown]>([
  ['a text above its cap', { name: 'long', list: [1] }],
  ['a list below its least length', { name: 'a', list: [] }],
  ['a list of another length than its only one', { name: 'a', list: [1], signs: [1, 1, 1] }],
])('%s is 400', (_, value) => {
  expect(refused(value)).toMatchObject({ status: 400, error: 'invalid_request', details: undefined })
})

it.each<[string, boolean, z.ZodType]>([
  ['a list with a cap', true, capped],
  [
    'one in a list, a map, a union, and behind a transformation',
    true,
    z.array(z.record(z.string(), z.union([z.string(), z.object({ list: capped.optional() }).transform(Object.keys)]))),
  ],
  ['a list without a cap', false, z.object({ list: z.array(z.string().max(3)) })],
  ['a list of one length', false, z.array(z.int()).length(3)],
])('of %s, that it has a cap is %s', (_, has, schema) => {
  expect(hasCappedCollection(schema)).toBe(has)
})

import { didErrorSchema, errorEnvelopeSchema, structuredErrorSchema } from '@svc/protocol/http/envelope'
import { ERRORS, type ErrorName } from '@svc/protocol/http/errors'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { ApiError } from './api-error.ts'
import { CORE_SHAPE, DID_SHAPE, PROVENANCE_SHAPE, SIBLING_SHAPE } from './shapes.ts'

const facts = { now: 1_790_000_000_000, requestId: 'id', path: '/api/x' }
const names = Object.keys(ERRORS) as ErrorName[]
const stale = new ApiError('stale_head', { details: { index: '4' } })
const quota = { kind: 'capsule', used: 20, limit: 20, tier: 'notes' }
const early = new ApiError('assertion_not_yet_valid', { serverTime: 5 })

describe('the shapes', () => {
  const shapes = [
    ['core', CORE_SHAPE],
    ['siblings', SIBLING_SHAPE],
    ['provenance', PROVENANCE_SHAPE],
    ['did', DID_SHAPE],
  ] as const
  it.each(shapes)('of %s dress every error as their schema says, and name it verbatim', (_, shape) => {
    for (const name of names) {
      // The one name that is never without its evidence.
      const evidence = name === 'quota_exhausted' ? { quota } : {}
      const body = shape.failure(new ApiError(name, evidence), facts)
      expect(() => shape.failureSchema(name, facts.path).parse(body)).not.toThrow()
      const { error, details } = body as { error?: string; details?: { error: string } }
      expect(error ?? details?.error).toBe(name)
    }
  })

  it.each(shapes)('of %s dress a success as their schema says', (_, shape) => {
    const body = shape.success({ a: 1 }, facts)
    const schema = shape.successSchema(z.strictObject({ a: z.number() }))
    expect(schema.parse(body)).toEqual(body)
  })
})

describe('the shape of core', () => {
  it.each<[ErrorName, string]>([
    ['invalid_request', 'invalid_request'],
    ['payload_too_large', 'invalid_request'],
    ['unsupported_media_type', 'invalid_request'],
    ['unsupported_alg', 'unsupported_alg'],
    ['rate_limited', 'rate_limited'],
  ])('answers %s structured, under the code %s', (name, code) => {
    const body = CORE_SHAPE.failure(new ApiError(name, { retryAfterSeconds: 9 }), facts)
    expect(body).toEqual({ code, message: ERRORS[name].text, details: { error: name }, retryAfter: 9 })
    expect(CORE_SHAPE.failureSchema(name, facts.path)).toBe(structuredErrorSchema)
  })

  it('answers every other error in the envelope', () => {
    expect(CORE_SHAPE.failure(stale, facts)).toEqual({
      success: false,
      error: 'stale_head',
      message: ERRORS.stale_head.text,
      timestamp: facts.now,
      details: { index: '4' },
    })
    expect(CORE_SHAPE.failureSchema('stale_head', facts.path)).toBe(errorEnvelopeSchema)
  })

  it('answers a failure of /api/version structured', () => {
    const version = { ...facts, path: '/api/version' }
    expect(CORE_SHAPE.failure(new ApiError('internal_error'), version)).toMatchObject({ code: 'internal_error' })
    expect(CORE_SHAPE.failure(new ApiError('internal_error'), facts)).toMatchObject({ success: false })
  })
})

describe('the other shapes', () => {
  it('of the siblings is an envelope, with the server’s time on clock refusals', () => {
    expect(SIBLING_SHAPE.failure(early, facts)).toEqual({
      success: false,
      error: 'assertion_not_yet_valid',
      message: ERRORS.assertion_not_yet_valid.text,
      timestamp: facts.now,
      serverTime: 5,
    })
    expect(SIBLING_SHAPE.success(1, facts)).toEqual({ success: true, data: 1, timestamp: facts.now })
  })

  it('of provenance adds the request id to both', () => {
    expect(PROVENANCE_SHAPE.failure(stale, facts)).toMatchObject({ success: false, requestId: 'id' })
    expect(PROVENANCE_SHAPE.success(1, facts)).toEqual({
      success: true,
      data: 1,
      timestamp: facts.now,
      requestId: 'id',
    })
  })

  it('of did is small, and bare on success', () => {
    expect(DID_SHAPE.failure(early, facts)).toEqual({
      error: 'assertion_not_yet_valid',
      status: 401,
      message: ERRORS.assertion_not_yet_valid.text,
      serverTime: 5,
    })
    expect(DID_SHAPE.failureSchema('not_found', '/')).toBe(didErrorSchema)
    expect(DID_SHAPE.success({ a: 1 }, facts)).toEqual({ a: 1 })
  })
})

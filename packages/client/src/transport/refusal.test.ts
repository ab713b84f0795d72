import { describe, expect, it } from 'vitest'
import { serviceErrorOf } from './refusal.ts'

/** Says at least what came, instead of repeating the name. */
const UNEXPLAINED = 'The service answered 502 with nothing and no reason: is it the address of the service?'

const errorOf = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  serviceErrorOf(status, body, new Headers(headers))

describe('ServiceError', () => {
  it('reads the structured error', () => {
    const body = {
      code: 'invalid_request',
      message: 'body.index: must be a decimal integer',
      details: { error: 'payload_too_large', limit: 5 },
    }
    expect(errorOf(413, body, { 'x-request-id': 'r-7' })).toMatchObject({
      name: 'ServiceError',
      status: 413,
      error: 'payload_too_large',
      message: 'body.index: must be a decimal integer',
      details: { error: 'payload_too_large', limit: 5 },
      retryAfterSeconds: undefined,
      serverTime: undefined,
      requestId: 'r-7',
    })
  })

  it('takes the code of a structured error that carries no name', () => {
    expect(errorOf(429, { code: 'rate_limited', message: 'slow down', retryAfter: 9 })).toMatchObject({
      error: 'rate_limited',
      retryAfterSeconds: 9,
    })
    expect(errorOf(400, { code: 'unsupported_alg', message: 'x' }).error).toBe('unsupported_alg')
  })

  it('reads the envelope', () => {
    const body = {
      success: false,
      error: 'assertion_expired',
      message: 'The assertion has expired',
      timestamp: 1_790_000_000_001,
      serverTime: 1_790_000_000_000,
    }
    expect(errorOf(401, body)).toMatchObject({
      status: 401,
      error: 'assertion_expired',
      message: 'The assertion has expired',
      serverTime: 1_790_000_000_000,
      details: {},
      requestId: undefined,
    })
  })

  it('reads evidence', () => {
    const details = { head: { index: '3', hash: 'a7'.repeat(48) }, appended: null }
    expect(errorOf(409, { success: false, error: 'stale_head', timestamp: 1, details }).details).toEqual(details)
  })

  it('reads the shape of the DID service', () => {
    const error = errorOf(403, { error: 'invalid_audience', status: 403, message: 'made for another audience' })
    expect(error).toMatchObject({ status: 403, error: 'invalid_audience', message: 'made for another audience' })
  })

  it('reads the shape of the shared limiter, which carries a sentence and no name', () => {
    const body = { success: false, error: 'Rate limit exceeded', retryAfter: 42, tier: 'read' }
    expect(errorOf(429, body, { 'retry-after': '41' })).toMatchObject({
      status: 429,
      error: 'rate_limited',
      message: 'Rate limit exceeded',
      retryAfterSeconds: 41,
    })
    expect(errorOf(429, body).retryAfterSeconds).toBe(42)
  })

  it.each([null, 'text', [], 5, {}, { error: 5 }, { error: { code: 'x' } }, { details: 'x' }])(
    'calls what it cannot read unknown: %j',
    (body) => {
      expect(errorOf(502, body)).toMatchObject({ status: 502, error: 'unknown', message: UNEXPLAINED, details: {} })
    },
  )

  it.each(['no_such_name', 'toString', '__proto__'])('gives no name that is not in the table: %j', (error) => {
    expect(errorOf(400, { success: false, error })).toMatchObject({ error: 'unknown', message: error })
  })

  it('ignores waiting times and clocks that are not numbers', () => {
    const error = errorOf(429, { serverTime: 'noon' }, { 'retry-after': 'Fri, 31 Dec 1999 23:59:59 GMT' })
    expect(error).toMatchObject({ error: 'rate_limited', retryAfterSeconds: undefined, serverTime: undefined })
  })

  it('takes the name from the header where the body has none', () => {
    const resolution = { didResolutionMetadata: { error: { type: 'https://www.w3.org/ns/did#NOT_FOUND' } } }
    expect(errorOf(404, resolution, { 'x-error-name': 'not_found' }).error).toBe('not_found')
    expect(errorOf(404, null, { 'x-error-name': 'not_found' })).toMatchObject({ error: 'not_found' })
    expect(errorOf(404, resolution, { 'x-error-name': 'NOT_FOUND' })).toMatchObject({
      error: 'unknown',
      message: 'NOT_FOUND',
    })
    expect(errorOf(403, { error: 'forbidden' }, { 'x-error-name': 'not_found' }).error).toBe('forbidden')
  })

  it('says whether the same request can succeed later', () => {
    const retryable = (status: number, error?: string) => errorOf(status, { success: false, error }).retryable
    expect([retryable(429), retryable(502), retryable(503), retryable(504)]).toEqual([true, true, true, true])
    expect(retryable(503, 'dependency_unavailable')).toBe(true)
    expect([retryable(503, 'index_full'), retryable(500, 'internal_error'), retryable(409, 'stale_head')]).toEqual([
      false,
      false,
      false,
    ])
  })

  it('leads to the entry of the error, by address if the client knows the documentation host', () => {
    const body = { success: false, error: 'stale_head' }
    const error = serviceErrorOf(409, body, new Headers(), { docs: 'https://docs.test', attempts: 2 })
    expect(error).toMatchObject({ docs: 'https://docs.test/developer/errors#stale_head', attempts: 2 })
    expect(errorOf(409, body)).toMatchObject({ docs: undefined, docsPath: '/developer/errors#stale_head', attempts: 1 })
    expect(errorOf(404, { error: 'Not found' }).docsPath).toBe('/developer/errors#not-found')
    expect(errorOf(404, {}).docsPath).toBe('/developer/errors')
  })
})

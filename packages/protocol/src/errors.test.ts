import { describe, expect, it } from 'vitest'
import { structuredErrorSchema } from './envelope.ts'
import { ERRORS, type ErrorName, errorEntry } from './errors.ts'

const names = Object.keys(ERRORS) as ErrorName[]

describe('the table of errors', () => {
  it.each(names)('gives %s a status and a sentence', (name) => {
    const { status, text } = errorEntry(name)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(600)
    expect(text).toMatch(/^[A-Z][^|\n]{5,}[^.\s]$/)
  })

  it.each(names)('gives %s a code of the structured error, or none', (name) => {
    const { code, status, text } = errorEntry(name)
    if (code !== undefined) expect(structuredErrorSchema.safeParse({ code, message: text }).success).toBe(true)
    if (code === 'rate_limited') expect(status).toBe(429)
    if (code === 'unsupported_alg') expect(status).toBe(400)
  })

  it('holds the names and statuses that the documents give', () => {
    const given = {
      invalid_request: 400,
      unsupported_alg: 400,
      invalid_nonce: 400,
      assertion_replay: 401,
      'Invalid assertion': 401,
      wrong_audience: 403,
      invalid_audience: 403,
      invalid_directory_nonce: 403,
      device_keys_disabled: 403,
      rate_limited: 429,
    } as const
    for (const [name, status] of Object.entries(given)) expect(errorEntry(name as ErrorName).status).toBe(status)
  })

  it('tells nothing of the inside in a 5xx', () => {
    const texts = names.filter((name) => errorEntry(name).status >= 500).map((name) => errorEntry(name).text)
    expect(texts).toEqual([
      'Internal error',
      'No registration here is bound to the chain of its owner',
      'This deployment has no index of texts',
      'This deployment has no index of this kind',
      'Another registration of the asset is under way; ask again',
      'Something that this answer depends on is unavailable',
      'The standing of the device cannot be looked up now',
      'This deployment signs no receipts',
      'This deployment signs no snapshots',
      'This deployment takes no payments',
      'The log of this deployment signs no checkpoints',
    ])
  })
})

import { describe, expect, it } from 'vitest'
import { structuredErrorSchema } from './envelope.ts'
import { ERRORS, type ErrorName, errorEntry } from './errors.ts'

const names = Object.keys(ERRORS) as ErrorName[]

describe('the error table', () => {
  it('gives every error a status and a text', () => {
    for (const name of names) {
      const { status, text } = errorEntry(name)
      expect(status, name).toBeGreaterThanOrEqual(400)
      expect(status, name).toBeLessThan(600)
      expect(text, name).toMatch(/^[A-Z][^|\n]{5,}[^.\s]$/)
    }
  })

  it('gives every error a valid structured-error code or none', () => {
    for (const name of names) {
      const { code, status, text } = errorEntry(name)
      if (code !== undefined) expect(structuredErrorSchema.safeParse({ code, message: text }).success, name).toBe(true)
      if (code === 'rate_limited') expect(status, name).toBe(429)
      if (code === 'unsupported_alg') expect(status, name).toBe(400)
    }
  })

  it('keeps the published names and their statuses', () => {
    const published = {
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
    for (const [name, status] of Object.entries(published)) expect(errorEntry(name as ErrorName).status).toBe(status)
  })

  it('reveals no internals in a 5xx', () => {
    const texts = names.filter((name) => errorEntry(name).status >= 500).map((name) => errorEntry(name).text)
    expect(texts).toEqual([
      'Internal error',
      'This deployment does not bind registrations to their owner’s chain',
      'This deployment has no text index',
      'This deployment has no index of this kind',
      'The search index is full and nothing was registered; try again when the operator has made room',
      'Another registration of the asset is in progress; try again shortly',
      'A service that this request depends on is unavailable; try again later',
      'The device’s status cannot be checked at the moment; try again later',
      'This deployment does not sign receipts',
      'This deployment does not sign snapshots',
      'The event is not understood; it was kept, and the operator is told',
      'This deployment does not accept payments',
      'This deployment does not sign log checkpoints',
      'This deployment has not published a list of its logs',
    ])
  })
})

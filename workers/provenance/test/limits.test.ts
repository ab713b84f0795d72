import { exhaust, Prober } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { service } from '../src/app.ts'
import { BASE, send } from './harness.ts'

const prober = new Prober({ service, send, base: BASE })

describe('limits of provenance', () => {
  it.each([
    ['POST', '/api/commitment', 20, 'register'],
    ['GET', '/api/commitment/x', 20, 'register'],
    ['POST', '/api/search/semantic', 60, 'ai-search'],
    ['POST', '/api/verify/batch', 100, 'verify-batch'],
  ])('meters %s %s at %i and quotes the request', async (method, path, limit, tier) => {
    const { beyond } = await exhaust(prober, { method, path }, limit)
    expect(beyond.status).toBe(429)
    expect(beyond.headers.get('retry-after')).toBe('60')
    expect(beyond.body).toEqual({
      success: false,
      error: 'Rate limit exceeded',
      retryAfter: 60,
      tier,
      requestId: beyond.headers.get('x-request-id'),
    })
  })
})

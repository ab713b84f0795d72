import { describe, expect, it } from 'vitest'
import { retiredMatcher, templatePattern } from './retired.ts'

describe('retiredMatcher', () => {
  const gone = retiredMatcher(
    ['/api/key/status/', '/api/key/rotate', '/api/identity/{id}/tier', '/v1.0/x'].map((path) => ({
      path,
      error: 'endpoint_retired' as const,
    })),
  )

  it.each([
    ['/api/key/status', true],
    ['/api/key/status/', true],
    ['/api/key/status/a/b', true],
    ['/api/key/statuses', false],
    ['/api/key/rotate', true],
    ['/api/key/rotate/', false],
    ['/api/key/rotate/now', false],
    ['/x/api/key/rotate', false],
    ['/api/key/Rotate', false],
    ['/api/identity/x/tier', true],
    ['/api/identity/x%2Fy/tier', true],
    ['/api/identity//tier', false],
    ['/api/identity/x/y/tier', false],
    ['/v1.0/x', true],
    ['/v1a0/x', false],
  ])('says of %s: %s', (path, verdict) => {
    expect(gone(path) !== undefined).toBe(verdict)
  })
})

describe('templatePattern', () => {
  it('takes one segment for each parameter', () => {
    const pattern = templatePattern('/a/{b}/c/{d}')
    expect(pattern.test('/a/1/c/2')).toBe(true)
    expect(pattern.test('/a/1/c/')).toBe(false)
    expect(pattern.test('/a/1/c/2/')).toBe(false)
    expect(pattern.test('/a/{b}/c/{d}')).toBe(true)
  })
})

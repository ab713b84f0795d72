import { describe, expect, it } from 'vitest'
import { canonicalUrlOf } from './aliases.ts'

const ALIASES = {
  PUBLIC_ORIGINS: ['https://ai-consent.example', 'https://consent.example', 'https://both.example'],
  REDIRECT_ORIGINS: ['https://consent.example'],
}
const get = (url: string, method = 'GET') => canonicalUrlOf({ method, url }, ALIASES)

describe('canonicalUrlOf', () => {
  it.each([
    ['https://consent.example/health', 'https://ai-consent.example/health'],
    ['https://consent.example/a%2Fb?c=d&e=%20', 'https://ai-consent.example/a%2Fb?c=d&e=%20'],
    // The path stays a path, whatever it looks like.
    ['https://consent.example//evil.example/x', 'https://ai-consent.example//evil.example/x'],
    ['https://consent.example/@evil.example', 'https://ai-consent.example/@evil.example'],
  ])('%s belongs to %s', (url, target) => {
    expect(get(url)).toBe(target)
    expect(get(url, 'HEAD')).toBe(target)
  })

  it.each([
    'https://ai-consent.example/health',
    'https://both.example/health',
    'https://other.example/health',
    'http://consent.example/health',
    'https://consent.example:8443/health',
  ])('%s is answered where it came', (url) => {
    expect(get(url)).toBeNull()
  })

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('%s is answered where it came', (method) => {
    expect(get('https://consent.example/health', method)).toBeNull()
  })

  it('leads nowhere from the canonical host, whatever the configuration says', () => {
    const circle = { PUBLIC_ORIGINS: ['https://a.example/'], REDIRECT_ORIGINS: ['https://a.example'] }
    expect(canonicalUrlOf({ method: 'GET', url: 'https://a.example/x' }, circle)).toBeNull()
  })
})

import { describe, expect, it } from 'vitest'
import { keysFault, published, type ServiceKey } from './service-keys.ts'

const NOW = 1_790_000_000_000
const key = (letter: string, validFrom: number, validUntil: number | null = null): ServiceKey => ({
  service: 'core',
  use: 'receipt',
  publicKeyB64u: letter.repeat(2603),
  validFrom,
  validUntil,
})

describe('published', () => {
  it('says which key signs, which is announced, and which signs no more', () => {
    const keys = [key('a', 0, NOW - 9), key('b', NOW - 10, NOW + 5), key('c', NOW, NOW + 50), key('d', NOW + 40)]
    expect(published(keys, NOW).map(({ state }) => state)).toEqual(['previous', 'previous', 'current', 'next'])
    expect(published(keys, NOW + 40).map(({ state }) => state)).toEqual(['previous', 'previous', 'previous', 'current'])
  })

  it('keeps the uses apart', () => {
    const other: ServiceKey = { ...key('a', 5), service: 'pay', use: 'quota-receipt' }
    expect(published([key('a', 0), other], NOW).map(({ state }) => state)).toEqual(['current', 'current'])
  })
})

describe('keysFault', () => {
  it.each<[string, ServiceKey[], string | null]>([
    ['one key', [key('a', 0)], null],
    ['a key twice', [key('a', 0), key('a', 1)], 'core receipt: a key is listed twice'],
    ['two from one time', [key('a', 0), key('b', 0)], 'core receipt: two keys are valid from the same time'],
    ['a use of another service', [{ ...key('a', 0), use: 'snapshot' }], 'core has no key for snapshot'],
  ])('of %s', (_name, keys, fault) => {
    expect(keysFault(keys)).toBe(fault)
  })
})

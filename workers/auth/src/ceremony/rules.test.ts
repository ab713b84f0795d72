import { describe, expect, it } from 'vitest'
import { expiryOf, living } from './rules.ts'

const row = { kind: 'login', state: '{}', expiresAt: 1000 }

describe('living', () => {
  it('is the ceremony until the moment that it ends at', () => {
    expect(living(row, 'login', 999)).toBe(row)
    expect(living(row, 'login', 1000)).toBeNull()
  })

  it('is none of another kind, and none where nothing is', () => {
    expect(living(row, 'grant', 0)).toBeNull()
    expect(living(row, 'passkey-login', 0)).toBeNull()
    expect(living(null, 'login', 0)).toBeNull()
  })
})

describe('expiryOf', () => {
  it.each([
    ['login', 120_000],
    ['passkey-login', 120_000],
    ['ticket', 300_000],
    ['redirect', 600_000],
    ['grant', 600_000],
  ] as const)('%s ends after %d ms', (kind, after) => {
    expect(expiryOf(kind, 7)).toBe(7 + after)
  })
})

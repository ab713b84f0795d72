import { describe, expect, it } from 'vitest'
import { CROCKFORD, crockford, grouped, normalized } from './crockford.ts'

describe('Crockford’s base32', () => {
  it('has five bits per character', () => {
    expect(crockford(new Uint8Array([0x00, 0x44, 0x32, 0x14, 0xc7]))).toBe('01234567')
    expect(crockford(new Uint8Array([0x42, 0x54, 0xb6, 0x35, 0xcf]))).toBe('89ABCDEF')
    expect(crockford(new Uint8Array([0x84, 0x65, 0x3a, 0x56, 0xd7]))).toBe('GHJKMNPQ')
    expect(crockford(new Uint8Array([0xc6, 0x75, 0xbe, 0x77, 0xdf]))).toBe('RSTVWXYZ')
  })

  it('leaves out the letters that look like others, and U', () => {
    expect(CROCKFORD).toHaveLength(32)
    expect(CROCKFORD).not.toMatch(/[ILOU]/)
  })

  it('is written in groups of four', () => {
    expect(grouped('7Q3K9ZXN0V4T')).toBe('7Q3K-9ZXN-0V4T')
    expect(grouped('7Q3K9')).toBe('7Q3K-9')
    expect(grouped('')).toBe('')
  })

  it.each([
    ['as it is', '7Q3K-9ZXN-0V4T'],
    ['in lower case', '7q3k-9zxn-0v4t'],
    ['without hyphens', '7Q3K9ZXN0V4T'],
    ['with spaces', ' 7Q3K 9ZXN\t0V4T\n'],
    ['with a space after each character', '7 q 3 k 9 z x n 0 v 4 t'],
    ['with the letter O for zero', '7q3k-9zxn-Ov4t'],
    ['with hyphens elsewhere', '7q-3k9zxn0v-4t'],
  ])('is read %s', (_, typed) => {
    expect(normalized(typed)).toBe('7Q3K9ZXN0V4T')
  })

  it('is read with I and L in either case for one, and O for zero', () => {
    expect(normalized('IiLl-1oO0-zzzz')).toBe('11111000ZZZZ')
  })
})

import { base58 } from '@scure/base'
import { describe, expect, it } from 'vitest'
import { encodeBase58 } from './base58.ts'

describe('base58', () => {
  it.each([
    ['', ''],
    ['00', '1'],
    ['0000', '11'],
    ['39', 'z'],
    ['3a', '21'],
    ['00003a', '1121'],
    // draft-msporny-base58 section 5.
    ['48656c6c6f20576f726c6421', '2NEpo7TZRRrLZSi2U'],
    ['0000287fb4cd', '11233QC4'],
  ])('writes %s as %s', (hex, text) => {
    expect(encodeBase58(Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16)))).toBe(text)
  })

  it('matches another implementation for any length and any number of leading zeros', () => {
    for (let length = 0; length < 80; length++) {
      const bytes = crypto.getRandomValues(new Uint8Array(length))
      bytes.fill(0, 0, length % 5)
      expect(encodeBase58(bytes)).toBe(base58.encode(bytes))
    }
    const key = crypto.getRandomValues(new Uint8Array(1954))
    expect(encodeBase58(key)).toBe(base58.encode(key))
  })
})

import { describe, expect, it } from 'vitest'
import { compareHashes, shardOf } from './shards.ts'

describe('shardOf', () => {
  it('is the only one where there is one', () => {
    expect(['a', 'b', '😀'].map((hash) => shardOf(hash, 1))).toEqual([0, 0, 0])
  })

  it('is the same in every run, and spreads', () => {
    expect(['identifier one ..', 'identifier two ..', '😀'.repeat(16)].map((hash) => shardOf(hash, 8))).toEqual([
      2, 4, 5,
    ])
    const counts = Array<number>(8).fill(0)
    for (let i = 0; i < 8_000; i++) counts[shardOf(`sha3-384:${i}`, 8)]! += 1
    for (const count of counts) expect(Math.abs(count - 1_000)).toBeLessThan(150)
  })
})

describe('compareHashes', () => {
  it('orders as the bytes of UTF-8 do', () => {
    const bytes = (text: string) =>
      [...new TextEncoder().encode(text)].map((byte) => String.fromCharCode(byte)).join('')
    const texts = [
      '',
      'a',
      'ab',
      'b',
      'é',
      '\u07ff',
      '\u0800',
      '\ud7ff',
      '\ue000',
      '\uffff',
      '😀',
      '😀a',
      '𝒳',
      'a😀',
      'a\uffff',
    ]
    for (const a of texts) {
      for (const b of texts) {
        const expected = bytes(a) < bytes(b) ? -1 : bytes(a) > bytes(b) ? 1 : 0
        expect(Math.sign(compareHashes(a, b)), `${a} ${b}`).toBe(expected)
      }
    }
  })
})

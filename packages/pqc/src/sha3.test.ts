import { describe, expect, inject, it, vi } from 'vitest'
import { createSha3_384Async, newSha3_384Hasher, sha3_384, sha3_384Async, sha3_384Hasher } from './sha3.ts'

const hex = (bytes: Uint8Array) => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
const text = (value: string) => new TextEncoder().encode(value)

/** NIST, "SHA-3 standard: example values" (FIPS 202). */
const NIST = [
  ['', '0c63a75b845e4f7d01107d852e4c2485c51a50aaaa94fc61995e71bbee983a2ac3713831264adb47fb6bd1e058d5f004'],
  ['abc', 'ec01498288516fc926459f58e2c6ad8df9b473cb0fc08c2596da7cf0e49be4b298d88cea927ac7f539f1edf228376d25'],
] as const

const inJavaScript = createSha3_384Async(null)

describe('SHA3-384', () => {
  it('uses the digest of the runtime if there is one', async () => {
    const digest = vi.spyOn(crypto.subtle, 'digest')
    for (const [input, expected] of NIST) expect(hex(await sha3_384Async(text(input)))).toBe(expected)
    expect(digest).toHaveBeenCalledTimes(inject('hasNativeSha3') ? NIST.length : 0)
  })

  it('falls back to JavaScript', async () => {
    const digest = vi.spyOn(crypto.subtle, 'digest')
    for (const [input, expected] of NIST) expect(hex(await inJavaScript(text(input)))).toBe(expected)
    expect(digest).not.toHaveBeenCalled()
  })

  it.each([
    ['the digest of the runtime', sha3_384Async],
    ['the fallback', inJavaScript],
  ])('%s reads its input when called', async (_, hash) => {
    const input = text('abc')
    const digest = hash(input)
    input.fill(0)
    expect(hex(await digest)).toBe(NIST[1][1])
  })

  it.each(NIST)('of "%s" matches the published value', (input, expected) => {
    expect(hex(sha3_384(text(input)))).toBe(expected)
  })

  it('agrees in both forms, around the block length of 104 bytes and for views', async () => {
    for (const length of [1, 103, 104, 105, 208, 70_000]) {
      const bytes = Uint8Array.from({ length: length + 2 }, (_, i) => i & 255).subarray(1, -1)
      expect(await sha3_384Async(bytes)).toEqual(sha3_384(bytes))
      expect(await inJavaScript(bytes)).toEqual(sha3_384(bytes))
    }
  })

  it('is the same in JavaScript as by the engine of the runtime, at once and in chunks', async () => {
    for (const length of [0, 1, 103, 104, 105, 70_000]) {
      const bytes = Uint8Array.from({ length }, (_, i) => i & 255)
      const [byRuntime, inScript] = [await newSha3_384Hasher(), sha3_384Hasher()]
      for (let at = 0; at < length; at += 1_000)
        for (const hasher of [byRuntime, inScript]) hasher.update(bytes.subarray(at, at + 1_000))
      const expected = inScript.digest()
      expect(byRuntime.digest()).toEqual(expected)
      expect(sha3_384(bytes)).toEqual(expected)
    }
  })

  it('refuses text instead of guessing an encoding', async () => {
    const error = new TypeError('sha3-384 bytes: expected a Uint8Array, got string')
    expect(() => sha3_384('abc' as never)).toThrow(error)
    await expect(sha3_384Async('abc' as never)).rejects.toThrow(error)
    await expect(inJavaScript('abc' as never)).rejects.toThrow(error)
  })

  it('of chunks equals that of the whole, wherever it is split', () => {
    const bytes = Uint8Array.from({ length: 1_000 }, (_, i) => i & 255)
    for (const pieces of [[1_000], [0, 1_000], [1, 999], [103, 1, 104, 792], [104, 104, 792], [500, 0, 500, 0]]) {
      const hasher = sha3_384Hasher()
      let at = 0
      for (const length of pieces) {
        hasher.update(bytes.subarray(at, at + length))
        at += length
      }
      expect(hasher.digest()).toEqual(sha3_384(bytes))
    }
    expect(hex(sha3_384Hasher().digest())).toBe(NIST[0][1])
  })

  it('of chunks is independent of other hashers, and reads a chunk before it can change', () => {
    const [one, other] = [sha3_384Hasher(), sha3_384Hasher()]
    const piece = text('abc')
    one.update(piece)
    other.update(piece)
    piece.fill(0)
    other.update(text('d'))
    expect(hex(one.digest())).toBe(NIST[1][1])
    expect(other.digest()).toEqual(sha3_384(text('abcd')))
  })

  it('of chunks accepts only bytes, and nothing after the digest', () => {
    const hasher = sha3_384Hasher()
    expect(() => hasher.update('abc' as never)).toThrow('sha3-384 chunk: expected a Uint8Array, got string')
    hasher.update(text('abc'))
    hasher.digest()
    expect(() => hasher.update(text('d'))).toThrow()
  })
})

import { encodeBase64url } from '@svc/protocol/base/base64url'
import { MAX_ATTACHMENT_BYTES } from '@svc/protocol/notes/notes'
import { describe, expect, it } from 'vitest'
import { sealedLength } from './attachment-cipher.ts'
import { pad, paddedFileLength, unpad } from './padding.ts'

describe('the padding of a note', () => {
  it('gives back what was padded, whatever it ends with', () => {
    for (const end of [[], [0], [0x80], [0x80, 0], [0, 0x80], [0x80, 0, 0, 0], [0xff]]) {
      const bytes = new Uint8Array([1, 2, ...end])
      expect(unpad(pad(bytes))).toEqual(bytes)
    }
    expect(unpad(pad(new Uint8Array()))).toEqual(new Uint8Array())
    expect(unpad(pad(new Uint8Array(255)))).toEqual(new Uint8Array(255))
  })

  it('is never one byte string for two', () => {
    const texts = [[], [0], [0, 0], [0x80], [0x80, 0], [0, 0x80]].map((bytes) => new Uint8Array(bytes))
    expect(new Set(texts.map((bytes) => encodeBase64url(pad(bytes)))).size).toBe(texts.length)
  })

  it.each([
    [0, 256],
    [255, 256],
    [256, 272],
    [271, 272],
    [272, 288],
    [511, 512],
    [512, 544],
    [1_023, 1_024],
    [1_024, 1_088],
    [65_535, 65_536],
    [65_536, 67_584],
    [100_000, 100_352],
    [704_511, 704_512],
  ])('of %d bytes has the length of Padmé’s, %d', (length, padded) => {
    expect(pad(new Uint8Array(length))).toHaveLength(padded)
  })

  it('never costs more than an eighth, and has few lengths', () => {
    const lengths = new Set<number>()
    for (let length = 256; length < 20_000; length++) {
      const padded = pad(new Uint8Array(length)).length
      expect(padded).toBeGreaterThan(length)
      expect(padded).toBeLessThanOrEqual((length + 1) * 1.125)
      lengths.add(padded)
    }
    expect(lengths.size).toBeLessThan(160)
  })

  it.each([[[]], [[0, 0, 0]], [[1, 2, 3]], [[0x80, 1]], [[0x81, 0, 0]]])('that is not so is refused: %j', (bytes) => {
    expect(() => unpad(new Uint8Array(bytes))).toThrow('The padding of the note is invalid')
  })
})

describe('the padding of a file', () => {
  it.each([
    [0, 256],
    [256, 256],
    [257, 272],
    [70_000, 71_680],
    [1_000_000, 1_015_808],
    [10_000_000, 10_223_616],
  ])('of %d bytes makes it %d', (bytes, padded) => {
    expect(paddedFileLength(bytes)).toBe(padded)
  })

  it('refuses none that fits: the largest are all as long as a ciphertext can be', () => {
    const largest = paddedFileLength(25_700_000)
    expect(sealedLength(largest)).toBe(MAX_ATTACHMENT_BYTES)
    for (const bytes of [25_690_113, largest - 1, largest]) expect(paddedFileLength(bytes)).toBe(largest)
  })
})

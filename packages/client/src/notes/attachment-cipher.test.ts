import { concatBytes } from '@svc/protocol/base/bytes'
import { hashHex } from '@svc/protocol/base/hash'
import { describe, expect, it } from 'vitest'
import {
  AttachmentOpener,
  AttachmentSealer,
  chunkStart,
  openChunks,
  sealAttachment,
  sealedLength,
  windowOf,
} from './attachment-cipher.ts'

const CHUNK = 65_536
const SEALED = CHUNK + 16
const key = new Uint8Array(32).fill(5)
const bytesOf = (length: number) => Uint8Array.from({ length }, (_, i) => (i * 31 + (i >> 16)) & 255)
const join = (...parts: Uint8Array[]) => concatBytes(parts)
const CHANGED = 'The attachment was modified'

/** Three chunks, the last of them short. */
const LENGTH = 2 * CHUNK + 100
const plaintext = bytesOf(LENGTH)
const sealed = await sealAttachment(plaintext, key)
const chunks = [sealed.subarray(0, SEALED), sealed.subarray(SEALED, 2 * SEALED), sealed.subarray(2 * SEALED)] as const

describe('an attachment', () => {
  it.each([
    [0, 16],
    [1, 17],
    [CHUNK - 1, CHUNK + 15],
    [CHUNK, CHUNK + 16],
    [CHUNK + 1, CHUNK + 33],
    [2 * CHUNK, 2 * CHUNK + 32],
    [2 * CHUNK + 1, 2 * CHUNK + 49],
  ])('of %d bytes is %d sealed, and comes back', async (length, expected) => {
    const bytes = bytesOf(length)
    const ciphertext = await sealAttachment(bytes, key)
    expect([sealedLength(length), ciphertext.length]).toEqual([expected, expected])
    expect(hashHex(await openChunks(ciphertext, 0, length, key))).toBe(hashHex(bytes))
  })

  it('is refused when it is cut off within a chunk', async () => {
    for (const length of [sealed.length - 1, 2 * SEALED + 16, 2 * SEALED + 1, 2 * SEALED - 1, SEALED + 1, 17, 1])
      await expect(openChunks(sealed.subarray(0, length), 0, LENGTH, key)).rejects.toThrow(CHANGED)
  })

  it('is refused when it is cut off between two chunks and passed off as whole', async () => {
    await expect(openChunks(sealed.subarray(0, 2 * SEALED), 0, 2 * CHUNK, key)).rejects.toThrow(CHANGED)
    await expect(openChunks(sealed.subarray(0, SEALED), 0, CHUNK, key)).rejects.toThrow(CHANGED)
    await expect(openChunks(sealed.subarray(0, SEALED), 0, 0, key)).rejects.toThrow(CHANGED)
  })

  it.each([
    ['in another order', [chunks[1], chunks[0], chunks[2]]],
    ['with a chunk twice', [chunks[0], chunks[0], chunks[2]]],
    ['without its first chunk', [chunks[1], chunks[2]]],
    ['without one in the middle', [chunks[0], chunks[2]]],
    ['with a chunk appended', [...chunks, chunks[2]]],
    ['with a byte appended', [...chunks, new Uint8Array(1)]],
  ])('is refused %s', async (_, parts) => {
    await expect(openChunks(join(...parts), 0, LENGTH, key)).rejects.toThrow(CHANGED)
  })

  it('is refused with a byte changed in any chunk, and under another key', async () => {
    for (const at of [0, CHUNK, SEALED - 1, SEALED, 2 * SEALED, sealed.length - 1]) {
      const changed = sealed.slice()
      changed[at]! ^= 1
      await expect(openChunks(changed, 0, LENGTH, key)).rejects.toThrow(CHANGED)
    }
    await expect(openChunks(sealed, 0, LENGTH, new Uint8Array(32))).rejects.toThrow(CHANGED)
  })

  it('cannot be continued: its last chunk is final', async () => {
    const whole = await sealAttachment(bytesOf(CHUNK), key)
    const more = await sealAttachment(bytesOf(CHUNK + 1), key)
    const mixed = join(whole, more.subarray(SEALED))
    await expect(openChunks(mixed, 0, CHUNK + 1, key)).rejects.toThrow(CHANGED)
  })
})

describe('a range', () => {
  const EDGES = [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK - 1, 2 * CHUNK, 2 * CHUNK + 1, LENGTH - 1, LENGTH]
  const RANGES = EDGES.flatMap((start) => EDGES.filter((end) => end > start).map((end) => [start, end] as const))

  it('from every boundary to every other is what was written there', async () => {
    expect(RANGES).toHaveLength(45)
    for (const [start, end] of RANGES) {
      const window = windowOf(start, end, LENGTH)
      const part = sealed.subarray(window.start, window.end)
      const opened = await openChunks(part, window.firstChunk, LENGTH, key)
      const offset = chunkStart(window.firstChunk)
      const read = opened.subarray(start - offset, end - offset)
      expect([start, end, hashHex(read)]).toEqual([start, end, hashHex(plaintext.subarray(start, end))])
    }
  })

  it.each([
    [0, 1, { firstChunk: 0, start: 0, end: SEALED }],
    [CHUNK - 1, CHUNK, { firstChunk: 0, start: 0, end: SEALED }],
    [CHUNK - 1, CHUNK + 1, { firstChunk: 0, start: 0, end: 2 * SEALED }],
    [CHUNK, CHUNK + 1, { firstChunk: 1, start: SEALED, end: 2 * SEALED }],
    [2 * CHUNK, LENGTH, { firstChunk: 2, start: 2 * SEALED, end: 2 * SEALED + 116 }],
    [CHUNK, 2 * CHUNK, { firstChunk: 1, start: SEALED, end: 2 * SEALED }],
  ])('from %d to %d needs its own chunks only', (start, end, expected) => {
    expect(windowOf(start, end, LENGTH)).toEqual(expected)
  })

  it('ends with the attachment where that ends with a chunk', () => {
    expect(windowOf(CHUNK, 2 * CHUNK, 2 * CHUNK)).toEqual({ firstChunk: 1, start: SEALED, end: 2 * SEALED })
    expect(windowOf(0, 0, 0)).toEqual({ firstChunk: 0, start: 0, end: 16 })
  })

  it('is refused when other chunks come than were asked for', async () => {
    await expect(openChunks(chunks[0], 1, LENGTH, key)).rejects.toThrow(CHANGED)
    await expect(openChunks(chunks[1], 0, LENGTH, key)).rejects.toThrow(CHANGED)
    await expect(openChunks(chunks[2], 1, LENGTH, key)).rejects.toThrow(CHANGED)
  })

  it('is refused when the chunk before the last is passed off as the last', async () => {
    await expect(openChunks(chunks[1], 1, 2 * CHUNK, key)).rejects.toThrow(CHANGED)
    await expect(openChunks(chunks[2], 2, LENGTH + CHUNK, key)).rejects.toThrow(CHANGED)
  })
})

/** The bytes in pieces of these lengths, over and over. */
function* piecesOf(bytes: Uint8Array, lengths: readonly number[]) {
  for (let at = 0, i = 0; at < bytes.length; at += lengths[i++ % lengths.length]!)
    yield bytes.subarray(at, at + lengths[i % lengths.length]!)
}

describe('pieces of any length', () => {
  const LENGTHS = [[1, CHUNK], [CHUNK - 1], [CHUNK], [CHUNK + 1], [SEALED], [SEALED + 1, 7], [3 * CHUNK]]

  it.each(LENGTHS.map((lengths) => ({ lengths })))(
    'of $lengths bytes make the same ciphertext',
    async ({ lengths }) => {
      for (const bytes of [0, 1, CHUNK, CHUNK + 1, 2 * CHUNK, LENGTH]) {
        const sealer = new AttachmentSealer(key)
        for (const piece of piecesOf(plaintext.subarray(0, bytes), lengths)) await sealer.add(piece)
        expect(hashHex(await sealer.end())).toBe(hashHex(await sealAttachment(plaintext.subarray(0, bytes), key)))
        expect(sealer.bytes).toBe(bytes)
      }
    },
  )

  it.each(LENGTHS.map((lengths) => ({ lengths })))(
    'of $lengths bytes open to the same plaintext',
    async ({ lengths }) => {
      const opener = new AttachmentOpener(0, LENGTH, key)
      const opened: Uint8Array[] = []
      for (const piece of piecesOf(sealed, lengths)) opened.push(...(await opener.add(piece)))
      expect(hashHex(join(...opened, ...(await opener.end())))).toBe(hashHex(plaintext))
    },
  )

  it('may be overwritten by their source when they were taken', async () => {
    const sealer = new AttachmentSealer(key)
    const buffer = new Uint8Array(1_000)
    for (const piece of piecesOf(plaintext, [1_000])) {
      buffer.set(piece)
      await sealer.add(buffer.subarray(0, piece.length))
    }
    expect(hashHex(await sealer.end())).toBe(hashHex(sealed))
  })

  it('come out before a later one turns out to be modified', async () => {
    const changed = sealed.slice()
    changed[SEALED + 9]! ^= 1
    const opener = new AttachmentOpener(0, LENGTH, key)
    expect(hashHex(join(...(await opener.add(changed.subarray(0, SEALED)))))).toBe(
      hashHex(plaintext.subarray(0, CHUNK)),
    )
    await expect(opener.add(changed.subarray(SEALED))).rejects.toThrow(CHANGED)
  })
})

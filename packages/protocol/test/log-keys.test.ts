/** Derived keys and cursors against OpenSSL and handwritten canonical JSON. */
import { createHash, hkdfSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { encodeCursor } from '../src/merkle/cursor.ts'
import { entryHash } from '../src/merkle/entries.ts'
import { logKeySeed } from '../src/merkle/log-key.ts'

const LOG = 'https://core.test/transparency/2027a'
const seed = new Uint8Array(32).fill(9)
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

describe('the key of a log, against OpenSSL', () => {
  it('is HKDF-SHA3-384 of the seed, by version and name', () => {
    const info = `{"log":"${LOG}","seedVersion":1}`
    const expected = hkdfSync('sha3-384', seed, 'svc/log-key/v1', info, 32)
    expect(hexOf(logKeySeed(seed, 1, LOG))).toBe(Buffer.from(expected).toString('hex'))
    expect(hexOf(logKeySeed(seed, 1, LOG))).toBe('f6d7ffc358693fee341458c253656b609ac8af752534b8092d0399dc5ae99127')
  })

  it('differs by log, by version and by seed', () => {
    const keys = [
      logKeySeed(seed, 1, LOG),
      logKeySeed(seed, 2, LOG),
      logKeySeed(seed, 1, 'https://core.test/transparency/2027b'),
      logKeySeed(new Uint8Array(32).fill(8), 1, LOG),
    ].map(hexOf)
    expect(new Set(keys).size).toBe(keys.length)
  })
})

describe('entries and cursors, against OpenSSL', () => {
  it('hashes a line as it is, after one zero byte', () => {
    const line = `{"kind": "not canonical", "é": 1}`
    expect(hexOf(entryHash(line))).toBe(createHash('sha3-384').update('\0').update(line).digest('hex'))
  })

  it('checks a cursor with the first 72 bits of a hash over the list and the place', () => {
    const text = `{"list":["anchors","${LOG}"],"place":7,"type":"svc/cursor/v1"}`
    const check = createHash('sha3-384').update(text).digest().subarray(0, 9)
    const expected = Buffer.concat([check, Buffer.from('7')]).toString('base64url')
    expect(encodeCursor(['anchors', LOG], 7)).toBe(expected)
  })
})

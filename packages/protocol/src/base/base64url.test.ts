import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import * as builtIn from './base64url.ts'

const bytes = (...values: number[]) => new Uint8Array(values)

/** RFC 4648 section 10, and the two characters where the alphabets differ. */
const PAIRS: [Uint8Array, string][] = [
  [bytes(), ''],
  [bytes(0x66), 'Zg'],
  [bytes(0x66, 0x6f), 'Zm8'],
  [bytes(0x66, 0x6f, 0x6f), 'Zm9v'],
  [bytes(0x66, 0x6f, 0x6f, 0x62), 'Zm9vYg'],
  [bytes(0xfb, 0xff, 0xbf), '-_-_'],
  [bytes(0, 0, 0), 'AAAA'],
]

const REFUSED: [string, string][] = [
  ['padding', 'Zg=='],
  ['one pad', 'Zm8='],
  ['a pad alone', '='],
  ['plus of the other alphabet', '+_-_'],
  ['slash of the other alphabet', '-/-_'],
  ['four trailing bits', 'Zh'],
  ['the highest trailing bit', 'Zo'],
  ['two trailing bits', 'Zm9'],
  ['a length of 1 modulo 4', 'Zm9vY'],
  ['a single character', 'Z'],
  ['white space inside', 'Zm 9v'],
  ['a leading space', ' Zm9v'],
  ['a trailing newline', 'Zm9v\n'],
  ['a tab', 'Zm9v\t'],
  ['four characters of white space', 'Zm9v\t\n\r '],
  ['white space and padding for a whole group', 'Zg= '],
  ['padding twice', 'Zm8=Zm8='],
  ['white space alone', '    '],
  ['a NUL', 'Zm9v\0'],
  ['a character outside of ASCII', 'Zm9é'],
  ['a full-width letter', 'Zm9ｖ'],
]

/** The module as a runtime without built-in base64 loads it. */
async function inJavaScript(): Promise<typeof builtIn> {
  const places = [
    [Uint8Array, 'fromBase64'],
    [Uint8Array.prototype, 'setFromBase64'],
    [Uint8Array.prototype, 'toBase64'],
  ] as const
  const kept = places.map(([place, name]) => [place, name, Object.getOwnPropertyDescriptor(place, name)] as const)
  for (const [place, name] of places) Reflect.deleteProperty(place, name)
  vi.resetModules()
  try {
    return await import('./base64url.ts')
  } finally {
    for (const [place, name, built] of kept) if (built) Object.defineProperty(place, name, built)
  }
}

describe.each([
  ['by what the runtime has', builtIn],
  ['in JavaScript', await inJavaScript()],
])(
  '%s',
  (_, { base64urlLength, base64urlOf, base64urlSchema, bytesOf, bytesWithin, decodeBase64url, encodeBase64url }) => {
    describe('base64url', () => {
      it.each(PAIRS)('encodes %j as %j and back', (raw, text) => {
        expect(encodeBase64url(raw)).toBe(text)
        expect(decodeBase64url(text)).toEqual(raw)
        expect(bytesOf(text)).toEqual(raw)
        const room = bytes(9, 9, 9, 9, 9)
        expect(bytesWithin(room, text)).toEqual(raw)
        expect(room).toEqual(bytes(...raw, ...Array<number>(5 - raw.length).fill(9)))
      })

      it.each(REFUSED)('refuses %s', (_what, text) => {
        expect(decodeBase64url(text)).toBeNull()
        expect(() => bytesOf(text)).toThrow()
        expect(() => bytesWithin(new Uint8Array(100), text)).toThrow()
        expect(base64urlSchema(100).safeParse(text).success).toBe(false)
      })

      it('accepts exactly one encoding of each last byte', () => {
        const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
        const accepted = alphabet.split('').filter((last) => decodeBase64url(`A${last}`) !== null)
        expect(accepted).toEqual(['A', 'Q', 'g', 'w'])
      })

      it('passes a schema exactly when it decodes', () => {
        const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/= \n'
        for (const start of ['', 'A', 'AA', 'AAA', 'AAAA', 'AAAAA', 'AAAAAA', 'AAAA=', 'AA A', 'AA==', 'AAA=']) {
          for (const last of ['', ...alphabet.split('')]) {
            const text = start + last
            const decoded = decodeBase64url(text)
            expect(base64urlSchema(100).safeParse(text).success, JSON.stringify(text)).toBe(decoded !== null)
            const exactly = base64urlOf(decoded?.length ?? Math.floor((text.length * 3) / 4))
            // base64urlOf rejects the empty string, even for zero bytes.
            expect(exactly.safeParse(text).success, JSON.stringify(text)).toBe(decoded !== null && decoded.length > 0)
            if (decoded) expect(encodeBase64url(decoded)).toBe(text)
          }
        }
      })

      it('counts characters for every length modulo 3', () => {
        for (const length of [0, 1, 2, 3, 4, 24, 48, 1184, 1952, 3309]) {
          expect(base64urlLength(length)).toBe(encodeBase64url(new Uint8Array(length)).length)
        }
      })
    })

    describe('bytesWithin', () => {
      it('writes into the given buffer and refuses to exceed it', () => {
        const room = new Uint8Array(3)
        const first = bytesWithin(room, 'Zm9v')
        expect(first).toEqual(bytes(0x66, 0x6f, 0x6f))
        expect(bytesWithin(room, '-_-_')).toEqual(bytes(0xfb, 0xff, 0xbf))
        expect(first).toEqual(bytes(0xfb, 0xff, 0xbf))
        expect(() => bytesWithin(room, 'Zm9vYg')).toThrow('decoded bytes exceed the buffer')
      })
    })

    describe('base64urlSchema', () => {
      it('accepts up to the given number of bytes', () => {
        const schema = base64urlSchema(4)
        expect(schema.safeParse('').success).toBe(true)
        expect(schema.safeParse('Zm9vYg').success).toBe(true)
        expect(schema.safeParse('Zm9vYmE').success).toBe(false)
      })

      it.each([8191, 8192, 8193])('checks text of %d bytes just as strictly', (length) => {
        const text = encodeBase64url(new Uint8Array(length).fill(0xa5))
        const schema = base64urlSchema(10_000)
        expect(schema.safeParse(text).success).toBe(true)
        for (const other of [
          ` ${text.slice(1)}`,
          `+${text.slice(1)}`,
          `${text.slice(0, -1)}=`,
          `${text.slice(0, -1)}z`,
        ])
          expect(schema.safeParse(other).success, other.slice(-3)).toBe(decodeBase64url(other) !== null)
        expect(schema.safeParse(`${text.slice(0, -1)}=`).success).toBe(false)
      })

      it('names one fault, and documents the alphabet', () => {
        for (const [schema, text] of [
          [base64urlSchema(4), 'Zh'],
          [base64urlOf(1), 'Zh'],
          [base64urlOf(0), ''],
        ] as const)
          expect(schema.safeParse(text).error?.issues).toMatchObject([
            { message: 'must be canonical base64url without padding' },
          ])
        // Text of another length is not decoded at all.
        for (const schema of [base64urlSchema(4), base64urlOf(4)])
          expect(schema.safeParse('='.repeat(1000)).error?.issues).toMatchObject([{ code: 'too_big' }])
        expect(z.toJSONSchema(base64urlSchema(4))).toMatchObject({ pattern: '^[A-Za-z0-9_-]*$' })
        expect(z.toJSONSchema(base64urlOf(4))).toMatchObject({ pattern: '^[A-Za-z0-9_-]+$' })
      })

      it('accepts only strings', () => {
        for (const value of [null, 5, ['Zm9v'], bytes(1)])
          expect(base64urlSchema(4).safeParse(value).success).toBe(false)
      })
    })

    describe('base64urlOf', () => {
      it('accepts exactly the given number of bytes', () => {
        const schema = base64urlOf(3)
        expect(schema.safeParse('Zm9v').success).toBe(true)
        for (const text of ['', 'Zm8', 'Zm9vYg', 'Zm9=', 'Zm9+']) expect(schema.safeParse(text).success).toBe(false)
      })

      it('refuses trailing bits at the right length', () => {
        expect(base64urlOf(1).safeParse('Zg').success).toBe(true)
        expect(base64urlOf(1).safeParse('Zh').success).toBe(false)
      })
    })
  },
)

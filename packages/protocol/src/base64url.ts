import { base64urlnopad } from '@scure/base'
import * as z from 'zod'

/** What newer runtimes do by themselves, about ten times faster than a script does. */
interface NativeStatics {
  readonly fromBase64?: (text: string, options: typeof LOOSE) => Uint8Array
}
interface NativeMethods {
  readonly setFromBase64?: (this: Uint8Array, text: string, options: typeof LOOSE) => { readonly written: number }
  readonly toBase64?: (this: Uint8Array, options: { alphabet: 'base64url'; omitPadding: true }) => string
}
/** Takes padding or its absence, white space, and any last bits: what is canonical is looked at besides. */
const LOOSE = { alphabet: 'base64url', lastChunkHandling: 'loose' } as const
const fromBase64 = (Uint8Array as unknown as NativeStatics).fromBase64?.bind(Uint8Array)
const { setFromBase64, toBase64 } = Uint8Array.prototype as unknown as NativeMethods

/** Base64url without padding (RFC 4648 section 5). */
export function encodeBase64url(bytes: Uint8Array): string {
  if (!toBase64) return base64urlnopad.encode(bytes)
  return toBase64.call(bytes, { alphabet: 'base64url', omitPadding: true })
}

function decode(text: string): Uint8Array {
  if (!fromBase64) return base64urlnopad.decode(text)
  if (endsCanonically(text)) {
    const bytes = fromBase64(text, LOOSE)
    if (bytes.length === bytesIn(text)) return bytes
  }
  throw new TypeError('base64url: not canonical')
}

/** How many bytes the characters stand for, when each is one of the alphabet: white space and padding make it fewer. */
const bytesIn = (text: string) => Math.floor((text.length * 3) / 4)

/** The bytes, or null. Strict: padding, white space, other alphabets and non-zero trailing bits are refused. */
export function decodeBase64url(text: string): Uint8Array | null {
  try {
    return decode(text)
  } catch {
    return null
  }
}

/** Characters that `bytes` bytes take in base64url without padding. */
export function base64urlLength(bytes: number): number {
  return Math.ceil((bytes * 4) / 3)
}

/** Where short text is decoded to be looked at, without making room for it each time. */
const scratch = new Uint8Array(8192)

/**
 * Whether text is the one spelling of some bytes. A runtime that decodes by itself looks at every character several times
 * as fast as an expression does; an expression, as fast as a decoder that is a script.
 */
function isCanonical(text: string): boolean {
  if (!setFromBase64) return /^[A-Za-z0-9_-]*$/.test(text) && endsCanonically(text)
  if (bytesIn(text) > scratch.length) return decodeBase64url(text) !== null
  try {
    decodeInto(scratch, text)
    return true
  } catch {
    return false
  }
}

/** Writes the bytes at the beginning of `room`, which has enough of it. */
function decodeInto(room: Uint8Array, text: string): void {
  if (!setFromBase64) room.set(decode(text))
  else if (!endsCanonically(text) || setFromBase64.call(room, text, LOOSE).written !== bytesIn(text))
    throw new TypeError('base64url: not canonical')
}

/** Two or three characters of a last group leave four bits or two, which are zero, and one alone is no byte. */
function endsCanonically(text: string): boolean {
  const last = text.at(-1) ?? ''
  switch (text.length % 4) {
    case 0:
      return true
    case 2:
      return 'AQgw'.includes(last)
    case 3:
      return 'AEIMQUYcgkosw048'.includes(last)
    default:
      return false
  }
}

const CANONICAL = 'must be canonical base64url without padding'

/** Base64url text of any bytes, at most `maxBytes` of them. */
export function base64urlSchema(maxBytes: number) {
  return z
    .string()
    .max(base64urlLength(maxBytes), { abort: true })
    .refine(isCanonical, CANONICAL)
    .meta({ pattern: '^[A-Za-z0-9_-]*$' })
}

/** Base64url text of exactly `bytes` bytes. */
export function base64urlOf(bytes: number) {
  return z
    .string()
    .length(base64urlLength(bytes), { abort: true })
    .refine((text) => text !== '' && isCanonical(text), CANONICAL)
    .meta({ pattern: '^[A-Za-z0-9_-]+$' })
}

/** The bytes of text that a schema above has accepted. */
export function bytesOf(text: string): Uint8Array {
  return decode(text)
}

/** As `bytesOf`, at the beginning of `room`: to make an array takes several times as long as to fill it. */
export function bytesWithin(room: Uint8Array, text: string): Uint8Array {
  if (bytesIn(text) > room.length) throw new RangeError('base64url: more bytes than there is room for')
  decodeInto(room, text)
  return room.subarray(0, bytesIn(text))
}

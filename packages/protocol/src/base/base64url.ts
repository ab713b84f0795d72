import * as z from 'zod'
import { pure } from './pure.ts'

/** Built-in base64 of newer runtimes. Others have `btoa` and `atob`. */
interface NativeStatics {
  readonly fromBase64?: (text: string, options: typeof LOOSE) => Uint8Array
}
interface NativeMethods {
  readonly setFromBase64?: (this: Uint8Array, text: string, options: typeof LOOSE) => { readonly written: number }
  readonly toBase64?: (this: Uint8Array, options: { alphabet: 'base64url'; omitPadding: true }) => string
}
/** Accepts optional padding, white space and any trailing bits; canonical form is checked separately. */
const LOOSE = { alphabet: 'base64url', lastChunkHandling: 'loose' } as const
const fromBase64 = /* @__PURE__ */ pure(() => (Uint8Array as unknown as NativeStatics).fromBase64?.bind(Uint8Array))
const { setFromBase64, toBase64 } = Uint8Array.prototype as unknown as NativeMethods

const NOT_CANONICAL = 'base64url: not canonical'

/** Base64url without padding (RFC 4648 section 5). */
export function encodeBase64url(bytes: Uint8Array): string {
  if (!toBase64) return encodeByText(bytes)
  return toBase64.call(bytes, { alphabet: 'base64url', omitPadding: true })
}

function decode(text: string): Uint8Array {
  if (!fromBase64) return decodeByText(text)
  if (endsCanonically(text)) {
    const bytes = fromBase64(text, LOOSE)
    if (bytes.length === bytesIn(text)) return bytes
  }
  throw new TypeError(NOT_CANONICAL)
}

const ALPHABET = /^[A-Za-z0-9_-]*$/
/** Arguments of one call: engines limit their number. */
const AT_ONCE = 8192

/** `btoa` takes a character for each byte. */
function encodeByText(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += AT_ONCE)
    // Seven times as fast as spreading the bytes.
    text += Reflect.apply(String.fromCharCode, null, bytes.subarray(at, at + AT_ONCE))
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** `atob` takes padding, white space and any trailing bits, so what it is given is checked first. */
function decodeByText(text: string): Uint8Array {
  if (!ALPHABET.test(text) || !endsCanonically(text)) throw new TypeError(NOT_CANONICAL)
  const decoded = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = new Uint8Array(decoded.length)
  for (let at = 0; at < bytes.length; at++) bytes[at] = decoded.charCodeAt(at)
  return bytes
}

/** Bytes the text decodes to if every character is in the alphabet; white space and padding would yield fewer. */
const bytesIn = (text: string) => Math.floor((text.length * 3) / 4)

/** The decoded bytes, or null. Strict: rejects padding, white space, other alphabets and non-zero trailing bits. */
export function decodeBase64url(text: string): Uint8Array | null {
  try {
    return decode(text)
  } catch {
    return null
  }
}

/** Number of base64url characters, without padding, that encode `bytes` bytes. */
export function base64urlLength(bytes: number): number {
  return Math.ceil((bytes * 4) / 3)
}

/** Reused when short text is decoded only to validate it, which saves an allocation per check. */
const scratch = /* @__PURE__ */ new Uint8Array(8192)

/**
 * Whether the text is canonical, so that each byte string has exactly one encoding. Built-in decoding validates
 * characters several times faster than a regular expression.
 */
function isCanonical(text: string): boolean {
  if (!setFromBase64) return ALPHABET.test(text) && endsCanonically(text)
  if (bytesIn(text) > scratch.length) return decodeBase64url(text) !== null
  try {
    decodeInto(scratch, text)
    return true
  } catch {
    return false
  }
}

/** Writes the bytes to the start of `room`, which must be large enough. */
function decodeInto(room: Uint8Array, text: string): void {
  if (!setFromBase64) room.set(decode(text))
  else if (!endsCanonically(text) || setFromBase64.call(room, text, LOOSE).written !== bytesIn(text))
    throw new TypeError(NOT_CANONICAL)
}

/** A last group of two characters leaves four spare bits, of three two; they must be zero. A single one is invalid. */
function endsCanonically(text: string): boolean {
  const last = text.slice(-1)
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

/** Base64url text of at most `maxBytes` bytes. */
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

/** Decodes text that one of the schemas above has accepted. */
export function bytesOf(text: string): Uint8Array {
  return decode(text)
}

/** Like `bytesOf`, but writes to the start of `room`: allocating an array takes several times as long as filling it. */
export function bytesWithin(room: Uint8Array, text: string): Uint8Array {
  if (bytesIn(text) > room.length) throw new RangeError('base64url: decoded bytes exceed the buffer')
  decodeInto(room, text)
  return room.subarray(0, bytesIn(text))
}

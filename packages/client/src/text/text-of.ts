import { checkCall } from '../arguments/check.ts'
import { fileKindOf } from './file-kinds.ts'
import { shownTextOf } from './utf8.ts'

/** The bytes are not a text. `seems` says what they look like, and the message has it too. */
export class TextError extends Error {
  override readonly name = 'TextError'
  readonly seems: string

  constructor(seems: string) {
    super(`This is not a text in UTF-8: it seems to be ${seems}`)
    this.seems = seems
  }
}

/**
 * The text of a file: UTF-8, or UTF-16 with a byte order mark. The mark is not part of the text. Throws a `TextError` for
 * everything else, because a character that cannot be read would become U+FFFD: two files would share one hash, and a
 * file that is written back would be damaged.
 */
export function textOf(bytes: Uint8Array): string {
  checkCall('textOf', [bytes], ['bytes'])
  const encoding = utf16By(bytes)
  const text = decoded(bytes, encoding ?? 'utf-8')
  // No text has a zero character. UTF-16 of Latin letters is full of them, and is valid UTF-8.
  if (text !== null && !text.includes('\0')) return text
  throw new TextError(fileKindOf(bytes) ?? (encoding ? 'a damaged text in UTF-16' : encodingOf(bytes)))
}

function utf16By([first, second]: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : null
}

function decoded(bytes: Uint8Array, encoding: string): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    return null
  }
}

/** What bytes are that are not UTF-8. */
function encodingOf(bytes: Uint8Array): string {
  if (isUtf16(bytes)) return 'a text in UTF-16 without a byte order mark'
  if (bytes.some((byte) => byte < 9 || (byte > 13 && byte < 32 && byte !== 27))) return 'binary data'
  return mostlyUtf8(bytes) ? 'a damaged text in UTF-8' : 'a text in an older encoding, such as Windows-1252'
}

/** Whether most bytes beyond ASCII are in sequences of UTF-8, which hardly happens by chance. */
function mostlyUtf8(bytes: Uint8Array): boolean {
  const broken = shownTextOf(bytes).split('\ufffd').length - 1
  return bytes.filter((byte) => byte > 127).length > 2 * broken
}

/** Zeros in every other place, as Latin letters have them. */
function isUtf16(bytes: Uint8Array): boolean {
  const zeros = (offset: number) => bytes.filter((byte, at) => byte === 0 && at % 2 === offset).length
  const [even, odd] = [zeros(0), zeros(1)]
  return bytes.length % 2 === 0 && Math.max(even, odd) > bytes.length / 4 && Math.min(even, odd) === 0
}

import { describe, expect, it } from 'vitest'
import { TextError, textOf } from './text-of.ts'

const TEXT = 'Grüße aus が\r\nund 𝄞\n'
const utf8 = new TextEncoder().encode(TEXT)
const utf16le = new Uint8Array(Buffer.from(TEXT, 'utf16le'))
const utf16be = utf16le.map((_, at) => utf16le[at ^ 1] ?? 0)
const latin1 = new Uint8Array(Buffer.from('Grüße aus Köln\n', 'latin1'))
const bytesOf = (...parts: readonly (string | readonly number[])[]) =>
  new Uint8Array(parts.flatMap((part) => (typeof part === 'string' ? [...Buffer.from(part, 'latin1')] : part)))

describe('a text', () => {
  it.each([
    ['in UTF-8', utf8],
    ['in UTF-8 with a byte order mark', new Uint8Array([0xef, 0xbb, 0xbf, ...utf8])],
    ['in UTF-16, little-endian', new Uint8Array([0xff, 0xfe, ...utf16le])],
    ['in UTF-16, big-endian', new Uint8Array([0xfe, 0xff, ...utf16be])],
  ])('%s is the same', (_, bytes) => {
    expect(textOf(bytes)).toBe(TEXT)
  })

  it('keeps a mark that is not the first character, its line ends and its form', () => {
    for (const text of ['', 'a\ufeffb', 'a\r\nb', 'u\u0308', '\u202e\t'])
      expect(textOf(new TextEncoder().encode(text))).toBe(text)
  })
})

describe('refuses, and says what it seems to be:', () => {
  it.each([
    ['Latin-1', latin1, 'a text in an older encoding, such as Windows-1252'],
    ['UTF-16 without a mark', utf16le, 'a text in UTF-16 without a byte order mark'],
    ['big-endian UTF-16 without a mark', utf16be, 'a text in UTF-16 without a byte order mark'],
    ['English in UTF-16 without a mark', bytesOf('h\0e\0l\0l\0o\0'), 'a text in UTF-16 without a byte order mark'],
    ['UTF-16 that is damaged', bytesOf([0xff, 0xfe, 0x00, 0xd8, 0x41, 0x00]), 'a damaged text in UTF-16'],
    ['UTF-16 that was cut off', bytesOf([0xff, 0xfe, 0x41]), 'a damaged text in UTF-16'],
    ['UTF-32', bytesOf([0xff, 0xfe, 0, 0, 0x41, 0, 0, 0]), 'a text in UTF-32'],
    ['UTF-8 that was cut off', utf8.subarray(0, 14), 'a damaged text in UTF-8'],
    ['half a surrogate in UTF-8', bytesOf('Gr\xc3\xbc\xc3\x9fe ', [0xed, 0xa0, 0x80]), 'a damaged text in UTF-8'],
    ['a PNG', bytesOf([0x89], 'PNG\r\n\x1a\n'), 'a PNG picture'],
    ['a JPEG', bytesOf([0xff, 0xd8, 0xff, 0xe0]), 'a JPEG picture'],
    ['a GIF', bytesOf('GIF89a', [1, 0, 1, 0]), 'a GIF picture'],
    ['a WebP', bytesOf('RIFF', [4, 0, 0, 0], 'WEBPVP8 '), 'a WebP picture'],
    ['a HEIC', bytesOf([0, 0, 0, 0x18], 'ftypheic', [0, 0, 0, 0]), 'a picture or video'],
    ['a TIFF', bytesOf('II*\0'), 'a TIFF picture'],
    ['a PDF', bytesOf('%PDF-1.7\n%', [0xe2, 0xe3, 0xcf, 0xd3]), 'a PDF document'],
    ['a DOCX', bytesOf('PK\x03\x04', [20, 0, 6, 0]), 'a ZIP archive or an office document'],
    ['gzip', bytesOf([0x1f, 0x8b, 8, 0]), 'a compressed file'],
    ['a program', bytesOf('\x7fELF', [2, 1, 1, 0]), 'a program'],
    ['other bytes', bytesOf([0x00, 0x01, 0xff, 0xfe, 0x80, 0x02]), 'binary data'],
    ['a text with a zero byte', bytesOf('one\0two three'), 'binary data'],
  ])('%s', (_, bytes, seems) => {
    expect(() => textOf(bytes)).toThrow(TextError)
    expect(() => textOf(bytes)).toThrow(
      expect.objectContaining({
        name: 'TextError',
        seems,
        message: `This is not a text in UTF-8: it seems to be ${seems}`,
      }),
    )
  })
})

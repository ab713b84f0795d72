import { bytesToHex } from '@noble/hashes/utils.js'

/** How files begin that people take for texts by mistake, in hexadecimal. */
const BEGINNINGS: readonly (readonly [kind: string, beginning: RegExp])[] = [
  ['a PNG picture', /^89504e470d0a/],
  ['a JPEG picture', /^ffd8ff/],
  // GIF87a, GIF89a
  ['a GIF picture', /^474946383[79]61/],
  // RIFF…WEBP
  ['a WebP picture', /^52494646.{8}57454250/],
  ['a TIFF picture', /^(?:49492a00|4d4d002a)/],
  // …ftyp of HEIC, AVIF and MP4; Matroska
  ['a picture or video', /^(?:00.{6}66747970|1a45dfa3)/],
  // ID3, RIFF…WAVE, MPEG frames
  ['a sound file', /^(?:494433|52494646.{8}57415645|fff[ab])/],
  // %PDF-
  ['a PDF document', /^255044462d/],
  ['a ZIP archive or an office document', /^504b0304/],
  ['an office document', /^d0cf11e0a1b11ae1/],
  // gzip, Zstandard, xz, 7z
  ['a compressed file', /^(?:1f8b|28b52ffd|fd377a585a|377abcaf)/],
  // ELF, Mach-O, WebAssembly, Windows
  ['a program', /^(?:7f454c46|cffaedfe|0061736d|4d5a..00)/],
  ['a text in UTF-32', /^(?:fffe0000|0000feff)/],
]
const LONGEST = 16

/** What a file that is not a text is by its first bytes; null for one that nothing is known of. */
export function fileKindOf(bytes: Uint8Array): string | null {
  const start = bytesToHex(bytes.subarray(0, LONGEST))
  return BEGINNINGS.find(([, beginning]) => beginning.test(start))?.[0] ?? null
}

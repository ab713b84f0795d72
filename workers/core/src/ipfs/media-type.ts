/** Media types for third-party content. None of it may run with the rights of this origin. */

const starts = (bytes: Uint8Array, signature: readonly number[], at = 0) =>
  signature.every((byte, i) => bytes[at + i] === byte)
const text = (signature: string) => Array.from(signature, (character) => character.charCodeAt(0))

const SIGNATURES: readonly { readonly type: string; readonly matches: (bytes: Uint8Array) => boolean }[] = [
  { type: 'image/png', matches: (bytes) => starts(bytes, [0x89, ...text('PNG\r\n'), 0x1a, 0x0a]) },
  { type: 'image/jpeg', matches: (bytes) => starts(bytes, [0xff, 0xd8, 0xff]) },
  { type: 'image/gif', matches: (bytes) => starts(bytes, text('GIF87a')) || starts(bytes, text('GIF89a')) },
  { type: 'image/webp', matches: (bytes) => starts(bytes, text('RIFF')) && starts(bytes, text('WEBP'), 8) },
  { type: 'image/avif', matches: (bytes) => starts(bytes, text('ftypavif'), 4) },
  { type: 'video/mp4', matches: (bytes) => starts(bytes, text('ftyp'), 4) },
  { type: 'video/webm', matches: (bytes) => starts(bytes, [0x1a, 0x45, 0xdf, 0xa3]) },
  { type: 'audio/mpeg', matches: (bytes) => starts(bytes, text('ID3')) },
  { type: 'application/pdf', matches: (bytes) => starts(bytes, text('%PDF-')) },
]

const HTML = 'text/html'
const SVG = 'image/svg+xml'
const OCTETS = 'application/octet-stream'

/** Every type that content can be sent with, without parameters. */
export const MEDIA_TYPES: readonly string[] = [OCTETS, ...SIGNATURES.map(({ type }) => type), HTML, SVG]

/** The type, detected from the first bytes; types that could run as a page keep their name and are sandboxed. */
export function mediaTypeOf(head: Uint8Array): string {
  const known = SIGNATURES.find(({ matches }) => matches(head))
  if (known) return known.type
  const start = new TextDecoder().decode(head.subarray(0, 512)).trimStart().toLowerCase()
  if (/^<(?:!doctype html|html|head|body|script)\b/.test(start)) return `${HTML}; charset=utf-8`
  if (/^(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)?(?:<!doctype svg[^>]*>\s*)?<svg\b/.test(start)) return SVG
  return OCTETS
}

/** No scripts, forms, frames or requests, in an opaque origin. */
export const SANDBOX = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"

/**
 * What must not be in a log: anything about a caller, or anything that a caller sent. Used on the lines of a whole run.
 *
 * @module
 */

const MEMBERS = new Set([
  'service',
  'requestId',
  'operation',
  'route',
  'method',
  'status',
  'milliseconds',
  'reason',
  'alarm',
  'subject',
  'count',
  'delayed',
  'waiting',
])

const FORBIDDEN: Readonly<Record<string, RegExp>> = {
  'a DID': /\bdid:[a-z]+:/,
  'a mail address': /[\w.+-]+@[\w-]+\.\w/,
  'an IPv4 address': /\b\d{1,3}(?:\.\d{1,3}){3}\b/,
  'an IPv6 address': /\b[0-9a-f]{1,4}(?:::|(?::[0-9a-f]{1,4}){4,})/i,
  'a URL': /\bhttps?:\/\//,
  // A user id has 96 digits, a key at least 64. UUIDs have dashes.
  'hexadecimal digits of a key, hash or id': /[0-9a-f]{24,}/i,
  // Signatures, tokens, DIDs without a prefix, ciphertexts. Words of an identifier in code have no digits.
  'base64 of a key, token or body': /(?=[\w+/-]*\d)(?=[\w+/-]*[A-Z])(?=[\w+/-]*[a-z])[\w+-]{28,}/,
  // "Authorization required" is the name of an error.
  'a credential': /\b(?:bearer|svc-assertion|cookie|set-cookie|authorization(?! required\b))\b/i,
}
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
/** Where a frame is: of this repository's code, the same for every caller. */
const FRAME = / \| at [^|"]*/g

/** One text for each line that says too much; none of them repeats the line. */
export function privacyFaultsOf(lines: readonly string[]): string[] {
  return lines.flatMap((line, i) => faultsOfLine(line).map((fault) => `line ${i + 1}: ${fault}`))
}

function faultsOfLine(line: string): string[] {
  const shown = line.replaceAll(FRAME, '').replaceAll(UUID, '')
  const found = Object.entries(FORBIDDEN)
    .filter(([, pattern]) => pattern.test(shown))
    .map(([what]) => what)
  const record = recordIn(line)
  if (!record) return found
  const unknown = Object.keys(record).filter((name) => !MEMBERS.has(name))
  return [...found, ...unknown.map((name) => `the member ${name}`)]
}

function recordIn(line: string): object | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}

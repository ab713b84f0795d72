import { checkCall } from '../../arguments/check.ts'
import { shownTextOf } from '../../text/utf8.ts'

export const SEALED_AS = ['age', 'inbox', 'message', 'reply', 'secret'] as const

/** What is encrypted, with its value: of `age` whether the file has its end. */
export interface Sealed {
  readonly as: (typeof SEALED_AS)[number]
  readonly value: unknown
}

const BINARY = 'age-encryption.org/'
const ARMOR = '-----BEGIN AGE ENCRYPTED FILE-----'
const ARMOR_END = '-----END AGE ENCRYPTED FILE-----'

/** Whether the file is one of age (c2sp.org/age), binary or armored. */
export function isAgeFile(bytes: Uint8Array): boolean {
  checkCall('isAgeFile', [bytes], ['bytes'])
  const start = shownTextOf(bytes.subarray(0, ARMOR.length))
  return start.startsWith(BINARY) || start === ARMOR
}

/** A file of age, such as the backup of keys for somebody's age key; null for every other one. */
export function sealedByAge(bytes: Uint8Array): Sealed | null {
  if (!isAgeFile(bytes)) return null
  const text = shownTextOf(bytes)
  return { as: 'age', value: { isWhole: text.startsWith(BINARY) || text.trimEnd().endsWith(ARMOR_END) } }
}

const FORMATS: Readonly<Record<string, Sealed['as']>> = {
  'svc/contact-reply/v1': 'reply',
  'svc/inbox-export/v1': 'inbox',
  'svc/local-wrap/v1': 'secret',
  'svc/pending-message/v1': 'message',
}

/** By the format that it names. */
export function sealedAs(format: unknown, value: unknown): Sealed | null {
  const as = typeof format === 'string' && Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined
  return as === undefined ? null : { as, value }
}

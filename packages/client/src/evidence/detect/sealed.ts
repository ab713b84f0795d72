/** What is encrypted, with its value: of `age` whether the file has its end. */
export interface Sealed {
  readonly as: 'age' | 'inbox' | 'message' | 'reply' | 'secret'
  readonly value: unknown
}

const BINARY = 'age-encryption.org/'
const ARMOR = '-----BEGIN AGE ENCRYPTED FILE-----'
const ARMOR_END = '-----END AGE ENCRYPTED FILE-----'

/** A file of age (c2sp.org/age), such as the backup of keys for somebody's age key; null for every other one. */
export function sealedByAge(bytes: Uint8Array): Sealed | null {
  const start = new TextDecoder().decode(bytes.subarray(0, ARMOR.length))
  if (start.startsWith(BINARY)) return { as: 'age', value: { isWhole: true } }
  if (start !== ARMOR) return null
  const isWhole = new TextDecoder().decode(bytes).trimEnd().endsWith(ARMOR_END)
  return { as: 'age', value: { isWhole } }
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

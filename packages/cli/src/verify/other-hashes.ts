import { type CliError, usage } from '../cli-error.ts'

/** How to get the hash of a file that is looked up. */
export const HASH_A_FILE = 'svc verify FILE computes it and looks it up; openssl dgst -sha3-384 FILE only computes it'

const LENGTHS: Readonly<Record<number, string>> = { 40: 'SHA-1', 64: 'SHA-256', 96: 'SHA3-384', 128: 'SHA-512' }

/** The refusal of a hash that nothing is registered under, or that is written in another way. Null for everything else. */
export function otherHash(text: string): CliError | null {
  const [, named, hex = ''] = /^(?:(sha[\w-]*):)?([0-9a-f]+)$/i.exec(text) ?? []
  const name = named?.toUpperCase() ?? LENGTHS[hex.length]
  if (name === undefined) return null
  if (name === 'SHA3-384') return usage('A hash is 96 lower-case hex characters', `svc verify ${hex.toLowerCase()}`)
  return usage(`This looks like ${name}; files are known by their SHA3-384 here, 96 hex characters`, HASH_A_FILE)
}

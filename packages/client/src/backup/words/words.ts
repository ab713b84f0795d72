/**
 * Seeds as words: the English list and checksum of BIP-39. The words are the seed itself: nothing is derived from them, and
 * PBKDF2 and the passphrase of BIP-39 have no part in it.
 *
 * @module
 */
import { entropyToMnemonic, mnemonicToEntropy } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { checkCall } from '../../arguments/check.ts'
import { secretOf } from '../../text/secret.ts'
import { RecoveryWordsError } from './words-error.ts'

const GROUP_BYTES = 32
const GROUP_WORDS = 24
const LISTED: ReadonlySet<string> = /* @__PURE__ */ new Set(wordlist)

/** 24 words for each 32 bytes of a seed, with a checksum of 8 bits for each. Throws a TypeError for another length. */
export function wordsOf(seed: Uint8Array): string {
  checkCall('wordsOf', [seed], ['seed'])
  if (seed.length === 0 || seed.length % GROUP_BYTES !== 0)
    throw new TypeError('Recovery words are made of a seed of 32 or 64 bytes')
  const groups = Array.from({ length: seed.length / GROUP_BYTES }, (_, at) =>
    entropyToMnemonic(seed.slice(at * GROUP_BYTES, (at + 1) * GROUP_BYTES), wordlist),
  )
  return groups.join(' ')
}

/**
 * The seed of 32 bytes (24 words) or 64 bytes (48 words) again. Takes words in any case, with any white space between
 * them. Throws a `RecoveryWordsError` that says what is wrong.
 */
export function seedOf(words: string, bytes: 32 | 64 = 32): Uint8Array {
  checkCall('seedOf', [words, bytes], ['words', 'bytes?'])
  const listed = secretOf(words).toLowerCase().trim().split(/\s+/)
  const expected = (bytes / GROUP_BYTES) * GROUP_WORDS
  if (listed.length !== expected)
    throw new RecoveryWordsError('wrong_count', `There must be ${expected} words, not ${listed.length}`)
  const unknown = listed.findIndex((word) => !LISTED.has(word))
  if (unknown >= 0) throw new RecoveryWordsError('unknown_word', `Word ${unknown + 1} is not on the list`, unknown + 1)
  const seed = new Uint8Array(bytes)
  for (let at = 0; at * GROUP_BYTES < bytes; at++)
    seed.set(groupOf(listed.slice(at * GROUP_WORDS, (at + 1) * GROUP_WORDS)), at * GROUP_BYTES)
  return seed
}

function groupOf(words: readonly string[]): Uint8Array {
  try {
    return mnemonicToEntropy(words.join(' '), wordlist)
  } catch {
    throw new RecoveryWordsError('wrong_checksum', 'A word is wrong, or two changed places: the checksum differs')
  }
}

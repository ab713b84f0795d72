/**
 * Seeds as words of the English BIP-39 list, with a checksum that depends on the use of the seed. The words encode the
 * seed itself. Nothing is derived from them: PBKDF2 and the passphrase of BIP-39 are not used.
 *
 * @module
 */
import { entropyToMnemonic, mnemonicToEntropy } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { checkCall } from '../../arguments/check.ts'
import { secretOf } from '../../text/secret.ts'
import { RecoveryWordsError } from './words-error.ts'

/** The use of a seed: a signing key, a KEM key, or a sheet, from which successors are derived. */
export type WordsKind = 'signing' | 'kem' | 'sheet'

const SEED_BYTES = 32
const WORDS = 24
/** Each word has 11 bits. The last 8 bits of the last word are the checksum: the first byte of SHA-256. */
const POSITIONS: ReadonlyMap<string, number> = /* @__PURE__ */ new Map(wordlist.map((word, at) => [word, at]))
/** The checksum of BIP-39 is XORed with this, so that no words are valid for two kinds. */
const MASKS: Readonly<Record<WordsKind, number>> = { signing: 0x00, kem: 0x5a, sheet: 0xa5 }
const NAMES: Readonly<Record<WordsKind, string>> = {
  signing: 'a signing key',
  kem: 'a KEM key',
  sheet: 'a sheet',
}

/** Returns the 24 words for a seed of 32 bytes. Throws a TypeError for another length. */
export function wordsOf(seed: Uint8Array, kind: WordsKind = 'signing'): string {
  checkCall('wordsOf', [seed, kind], ['seed', 'kind?'])
  if (seed.length !== SEED_BYTES) throw new TypeError('Recovery words require a seed of 32 bytes')
  return masked(entropyToMnemonic(seed, wordlist).split(' '), kind).join(' ')
}

/**
 * Returns the seed of 24 words. Accepts words in any case, with any white space between them. Throws a
 * `RecoveryWordsError` whose `reason` says what is wrong; for words of another kind it is `other_kind`.
 */
export function seedOf(words: string, kind: WordsKind = 'signing'): Uint8Array {
  checkCall('seedOf', [words, kind], ['words', 'kind?'])
  const listed = secretOf(words).toLowerCase().trim().split(/\s+/)
  if (listed.length !== WORDS)
    throw new RecoveryWordsError('wrong_count', `Expected ${WORDS} words, got ${listed.length}`)
  const unknown = listed.findIndex((word) => !POSITIONS.has(word))
  if (unknown >= 0) throw new RecoveryWordsError('unknown_word', `Word ${unknown + 1} is not on the list`, unknown + 1)
  const seed = seedIn(listed, kind)
  if (seed) return seed
  const other = kindsBut(kind).find((one) => seedIn(listed, one) !== null)
  if (other) throw new RecoveryWordsError('other_kind', `These are the words of ${NAMES[other]}, not of ${NAMES[kind]}`)
  throw new RecoveryWordsError('wrong_checksum', 'The checksum differs: a word is wrong, or two words are swapped')
}

/** Extracts the words from typed text. Ignores the numbers that a sheet prints before them. */
export function wordsIn(text: string): string {
  return (text.toLowerCase().match(/[a-z]+/g) ?? []).join(' ')
}

/** Returns the seed, or null if the checksum is not that of the kind. */
function seedIn(listed: readonly string[], kind: WordsKind): Uint8Array | null {
  try {
    return mnemonicToEntropy(masked(listed, kind).join(' '), wordlist)
  } catch {
    return null
  }
}

/** Replaces the checksum of BIP-39 by that of the kind, or the reverse. */
function masked(words: readonly string[], kind: WordsKind): readonly string[] {
  const last = POSITIONS.get(words.at(-1) ?? '') ?? 0
  return words.with(words.length - 1, wordlist[last ^ MASKS[kind]] ?? '')
}

function kindsBut(kind: WordsKind): readonly WordsKind[] {
  return (['signing', 'kem', 'sheet'] as const).filter((one) => one !== kind)
}

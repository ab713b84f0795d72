/**
 * Seeds as words: the English list of BIP-39, with a checksum that tells what the seed is for. The words are the seed
 * itself: nothing is derived from them, and PBKDF2 and the passphrase of BIP-39 have no part in it.
 *
 * @module
 */
import { entropyToMnemonic, mnemonicToEntropy } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { checkCall } from '../../arguments/check.ts'
import { secretOf } from '../../text/secret.ts'
import { RecoveryWordsError } from './words-error.ts'

/** What a seed is for: a signing key, a KEM key, or the sheet that successors are made from. */
export type WordsKind = 'signing' | 'kem' | 'sheet'

const SEED_BYTES = 32
const WORDS = 24
/** Of 11 bits for each word, the last 8 are the checksum: the first byte of SHA-256. */
const POSITIONS: ReadonlyMap<string, number> = /* @__PURE__ */ new Map(wordlist.map((word, at) => [word, at]))
/** What the checksum of BIP-39 is XORed with: no words are those of two kinds. */
const MASKS: Readonly<Record<WordsKind, number>> = { signing: 0x00, kem: 0x5a, sheet: 0xa5 }
const NAMES: Readonly<Record<WordsKind, string>> = {
  signing: 'a signing key',
  kem: 'a KEM key',
  sheet: 'a sheet for successors',
}

/** 24 words for a seed of 32 bytes. Throws a TypeError for another length. */
export function wordsOf(seed: Uint8Array, kind: WordsKind = 'signing'): string {
  checkCall('wordsOf', [seed, kind], ['seed', 'kind?'])
  if (seed.length !== SEED_BYTES) throw new TypeError('Recovery words are made of a seed of 32 bytes')
  return masked(entropyToMnemonic(seed, wordlist).split(' '), kind).join(' ')
}

/**
 * The seed of 24 words again. Takes words in any case, with any white space between them. Throws a `RecoveryWordsError`
 * that says what is wrong, also if they are words of another kind.
 */
export function seedOf(words: string, kind: WordsKind = 'signing'): Uint8Array {
  checkCall('seedOf', [words, kind], ['words', 'kind?'])
  const listed = secretOf(words).toLowerCase().trim().split(/\s+/)
  if (listed.length !== WORDS)
    throw new RecoveryWordsError('wrong_count', `There must be ${WORDS} words, not ${listed.length}`)
  const unknown = listed.findIndex((word) => !POSITIONS.has(word))
  if (unknown >= 0) throw new RecoveryWordsError('unknown_word', `Word ${unknown + 1} is not on the list`, unknown + 1)
  const seed = seedIn(listed, kind)
  if (seed) return seed
  const other = kindsBut(kind).find((one) => seedIn(listed, one) !== null)
  if (other) throw new RecoveryWordsError('other_kind', `These are the words of ${NAMES[other]}, not of ${NAMES[kind]}`)
  throw new RecoveryWordsError('wrong_checksum', 'A word is wrong, or two changed places: the checksum differs')
}

/** The words in what a person typed, also with the numbers that a sheet prints before them. */
export function wordsIn(text: string): string {
  return (text.toLowerCase().match(/[a-z]+/g) ?? []).join(' ')
}

/** Null if the checksum is not that of the kind. */
function seedIn(listed: readonly string[], kind: WordsKind): Uint8Array | null {
  try {
    return mnemonicToEntropy(masked(listed, kind).join(' '), wordlist)
  } catch {
    return null
  }
}

/** The words with the other checksum: from that of BIP-39 to that of the kind, and back. */
function masked(words: readonly string[], kind: WordsKind): readonly string[] {
  const last = POSITIONS.get(words.at(-1) ?? '') ?? 0
  return words.with(words.length - 1, wordlist[last ^ MASKS[kind]] ?? '')
}

function kindsBut(kind: WordsKind): readonly WordsKind[] {
  return (['signing', 'kem', 'sheet'] as const).filter((one) => one !== kind)
}

import { join } from './hash.ts'
import type { Projection } from './projection.ts'
import { CLUSTER, IDEOGRAPH, KANA, LETTER } from './text/characters.ts'
import { isCommon } from './text/common-words.ts'
import { gramHash, MAX_GRAM, type Words } from './text/words.ts'

/** Weight by word length: short words are frequent in every language, including languages without a table. */
const WORD_WEIGHTS = [0, 1, 2, 3, 4, 5] as const
/** Weights of the heads of two adjacent words, and of two words around a third. */
const PAIR_WEIGHT = 4
const GAP_PAIR_WEIGHT = 3

/** Begin the hashes of pairs, so that none equals the hash of a word or gram. */
const PAIR = ~3
const GAP_PAIR = ~4

/** Weight by number of characters in a gram, for scripts without spaces. */
const GRAM_WEIGHTS: Record<number, readonly number[]> = {
  [IDEOGRAPH]: [0, 1, 4, 2],
  [KANA]: [0, 0, 1, 1],
  [CLUSTER]: [0, 0, 0, 2, 2, 2],
}

export const FEATURES_PER_WORD = MAX_GRAM

/** Adds every feature that ends with word `last` and begins at word `first` or later. */
export function addFeatures(to: Projection, words: Words, common: Uint8Array, first: number, last: number): void {
  if (words.kind[last] === LETTER) addWord(to, words, common, first, last)
  else addGrams(to, words, common, first, last)
}

/** Adds the word, and the pairs that its head forms with those of the two words before. */
function addWord(to: Projection, words: Words, common: Uint8Array, first: number, last: number): void {
  const { hash, letters, head, length } = words
  if (common[last]) to.add(hash[last]!, 1)
  else to.add(letters[last]!, WORD_WEIGHTS[Math.min(length[last]!, WORD_WEIGHTS.length - 1)]!)
  const addPair = (other: number, seed: number, weight: number) => {
    if (other < first) return
    to.add(join(join(seed, head[other]!), head[last]!), common[last] && common[other] ? weight >> 1 : weight)
  }
  addPair(last - 1, PAIR, PAIR_WEIGHT)
  addPair(last - 2, GAP_PAIR, GAP_PAIR_WEIGHT)
}

/** Adds the character and the grams ending with it: none of function words, and half the weight next to them. */
function addGrams(to: Projection, words: Words, common: Uint8Array, first: number, last: number): void {
  const { hash, kind } = words
  to.add(hash[last]!, common[last] ? 0 : GRAM_WEIGHTS[kind[last]!]![1]!)
  for (let size = 2; size <= Math.min(MAX_GRAM, last - first + 1); size++) {
    const start = last - size + 1
    // A kana ending belongs to the preceding ideograph.
    const weights = GRAM_WEIGHTS[kind[last] === KANA && kind[start] === IDEOGRAPH ? IDEOGRAPH : kind[last]!]!
    const weight = weights[size] ?? 0
    if (weight === 0) continue
    const gram = gramHash(words, last, size)
    if (!isCommon(gram)) to.add(gram, size === 2 && (common[last] || common[start]) ? weight >> 1 : weight)
  }
}

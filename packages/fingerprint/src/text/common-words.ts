import { HashSet } from '../hash-set.ts'
import { LETTER } from './characters.ts'
import { fold } from './folding.ts'
import { FUNCTION_WORDS } from './function-words.ts'
import { gramHash, MAX_GRAM, splitWords, type Words } from './words.ts'

/** Capacity for all grams of the table; building the set throws if it is too small. */
const CAPACITY = 8192

let table: HashSet | undefined

/** Whether the table contains a word or, in scripts without spaces, a gram of one of its words. */
export function isCommon(hash: number): boolean {
  table ??= hashesOf(FUNCTION_WORDS.flatMap((line) => line.split(' ')))
  return table.has(hash)
}

/** 1 for each word in the table. */
export function commonWords({ count, hash }: Words): Uint8Array {
  const common = new Uint8Array(count)
  for (let i = 0; i < count; i++) if (isCommon(hash[i]!)) common[i] = 1
  return common
}

function hashesOf(list: readonly string[]): HashSet {
  const hashes = new HashSet(CAPACITY)
  for (const word of list) {
    const words = splitWords(fold(word), Number.POSITIVE_INFINITY)
    if (words.count === 1) hashes.add(words.hash[0]!)
    else if (words.kind[0] !== LETTER)
      for (let last = 1; last < words.count; last++)
        for (let size = 2; size <= Math.min(MAX_GRAM, last + 1); size++) hashes.add(gramHash(words, last, size))
  }
  return hashes
}

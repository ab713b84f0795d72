import { join, mix } from '../hash.ts'
import { CLUSTER, IDEOGRAPH, KANA, kindOf, LETTER, MARK, SEPARATOR } from './characters.ts'

/** The words of a text, stored in columns. In scripts without spaces, each character with its marks is a word. */
export interface Words {
  readonly count: number
  readonly hash: Int32Array
  /** Hashes of the first and of the last three characters: a typo seldom changes both. */
  readonly head: Int32Array
  readonly tail: Int32Array
  readonly kind: Uint8Array
  /** Length in characters, at most LONG_WORD. */
  readonly length: Uint8Array
  /** Start of each word in units of mass, and the end of the last. */
  readonly position: Int32Array
}

/** Number of words in the longest gram. */
export const MAX_GRAM = 5
const LONG_WORD = 64
/** Characters of the head and of the tail of a word. */
const PART = 3

/**
 * How much text a word represents: 4 for a word of a script with spaces, 2 for an ideograph or kana (about two make a
 * word), 1 for a Thai character. A chunk thus holds about the same amount of text in every script.
 */
const MASS: Record<number, number> = { [LETTER]: 4, [IDEOGRAPH]: 2, [KANA]: 2, [CLUSTER]: 1 }

/** Splits folded text. Stops once the mass exceeds `maxMass`, because the caller rejects such a text anyway. */
export function splitWords(folded: string, maxMass: number): Words {
  let capacity = 1024
  let hash = new Int32Array(capacity)
  let head = new Int32Array(capacity)
  let tail = new Int32Array(capacity)
  let kind = new Uint8Array(capacity)
  let length = new Uint8Array(capacity)
  let position = new Int32Array(capacity + 1)
  let count = 0
  let current = SEPARATOR
  let currentHash = 0
  let currentHead = 0
  // The last characters, the newest at the end.
  let [third, second, last] = [0, 0, 0]
  let currentLength = 0

  const finish = () => {
    if (current === SEPARATOR) return
    if (count === capacity) {
      capacity *= 2
      hash = grown(hash, new Int32Array(capacity))
      head = grown(head, new Int32Array(capacity))
      tail = grown(tail, new Int32Array(capacity))
      kind = grown(kind, new Uint8Array(capacity))
      length = grown(length, new Uint8Array(capacity))
      position = grown(position, new Int32Array(capacity + 1))
    }
    hash[count] = mix(currentHash)
    head[count] = mix(currentHead)
    tail[count] = mix(join(join(join(0, third), second), last))
    kind[count] = current
    length[count] = currentLength
    position[count + 1] = position[count]! + (MASS[current] ?? 0)
    count += 1
    current = SEPARATOR
  }

  for (let i = 0; i < folded.length && position[count]! <= maxMass; ) {
    const codePoint = folded.codePointAt(i)!
    i += codePoint > 0xffff ? 2 : 1
    const asked = kindOf(codePoint)
    // A mark without a preceding character counts as a word.
    const next = asked === MARK ? current || LETTER : asked
    const goesOn = next === current && (asked === MARK || next === LETTER) && currentLength < LONG_WORD
    if (!goesOn) {
      finish()
      currentHash = 0
      third = 0
      second = 0
      last = 0
      currentLength = 0
      current = next
    }
    currentHash = join(currentHash, codePoint)
    currentLength += 1
    if (currentLength <= PART) currentHead = currentHash
    third = second
    second = last
    last = codePoint
  }
  finish()
  return { count, hash, head, tail, kind, length, position }
}

/** The hash of the `size` consecutive words that end with word `last`. */
export function gramHash({ hash }: Words, last: number, size: number): number {
  let gram = size
  for (let i = last - size + 1; i <= last; i++) gram = join(gram, hash[i]!)
  return gram
}

function grown<T extends Int32Array | Uint8Array>(from: T, to: T): T {
  to.set(from)
  return to
}

import { join, mix } from '../hash.ts'
import { CLUSTER, DIGIT, IDEOGRAPH, KANA, kindOf, LETTER, MARK, SEPARATOR } from './characters.ts'

/** The words of a text, stored in columns. In scripts without spaces, each character with its marks is a word. */
export interface Words {
  readonly count: number
  /** Of a run of one letter only the first counts. */
  readonly hash: Int32Array
  /** Hash of the set of letters: swaps and repetitions do not change it. With a digit in the word, its `hash`. */
  readonly letters: Int32Array
  /** Hash of the first three characters. With a digit in the word, its `hash`. */
  readonly head: Int32Array
  readonly kind: Uint8Array
  /** Length in characters, at most LONG_WORD. */
  readonly length: Uint8Array
  /** Start of each word in units of mass, and the end of the last. */
  readonly position: Int32Array
}

/** Number of words in the longest gram. */
export const MAX_GRAM = 5
const LONG_WORD = 64
/** Characters of the head of a word. */
const HEAD = 3

/**
 * How much text a word represents: a word of a script with spaces as much as two ideographs, three kana or six Thai
 * characters. A chunk thus holds about the same amount of text in every script.
 */
const MASS: Record<number, number> = { [LETTER]: 6, [IDEOGRAPH]: 3, [KANA]: 2, [CLUSTER]: 1 }

/** Splits folded text. Stops once the mass exceeds `maxMass`, because the caller rejects such a text anyway. */
export function splitWords(folded: string, maxMass: number): Words {
  let capacity = 1024
  let hash = new Int32Array(capacity)
  let letters = new Int32Array(capacity)
  let head = new Int32Array(capacity)
  let kind = new Uint8Array(capacity)
  let length = new Uint8Array(capacity)
  let position = new Int32Array(capacity + 1)
  let count = 0
  let current = SEPARATOR
  let currentHash = 0
  let currentHead = 0
  let currentLength = 0
  let previous = 0
  // The set of letters, 64 bits.
  let lowLetters = 0
  let highLetters = 0
  let hasDigit = false

  const finish = () => {
    if (current === SEPARATOR) return
    if (count === capacity) {
      capacity *= 2
      hash = grown(hash, new Int32Array(capacity))
      letters = grown(letters, new Int32Array(capacity))
      head = grown(head, new Int32Array(capacity))
      kind = grown(kind, new Uint8Array(capacity))
      length = grown(length, new Uint8Array(capacity))
      position = grown(position, new Int32Array(capacity + 1))
    }
    hash[count] = mix(currentHash)
    letters[count] = hasDigit ? hash[count]! : mix(join(join(~2, lowLetters), highLetters))
    head[count] = hasDigit ? hash[count]! : mix(currentHead)
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
    const next = asked === MARK ? current || LETTER : asked === DIGIT ? LETTER : asked
    const goesOn = next === current && (asked === MARK || next === LETTER) && currentLength < LONG_WORD
    if (goesOn && codePoint === previous && asked === LETTER) continue
    if (!goesOn) {
      finish()
      currentHash = 0
      currentLength = 0
      lowLetters = 0
      highLetters = 0
      hasDigit = false
      current = next
    }
    currentHash = join(currentHash, codePoint)
    // Multiples of the golden ratio: consecutive letters get different bits.
    const bit = Math.imul(codePoint, 0x9e3779b1) >>> 26
    if (bit < 32) lowLetters |= 1 << bit
    else highLetters |= 1 << bit
    if (asked === DIGIT) hasDigit = true
    currentLength += 1
    if (currentLength <= HEAD) currentHead = currentHash
    previous = codePoint
  }
  finish()
  return { count, hash, letters, head, kind, length, position }
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

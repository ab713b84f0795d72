import { CLUSTER, IDEOGRAPH, KANA, kindOf, LETTER, MARK, SEPARATOR } from './characters.ts'
import { join, mix } from './hash.ts'

/** The words of a text, column by column. In scripts without spaces every character, with its marks, is one. */
export interface Words {
  readonly count: number
  readonly hash: Int32Array
  readonly kind: Uint8Array
  /** In characters; longer ones count as LONG_WORD. */
  readonly length: Uint8Array
  /** Where each word begins, in units of mass, and where the last one ends. */
  readonly position: Int32Array
}

/** Words in the longest gram. */
export const MAX_GRAM = 5
const LONG_WORD = 64

/**
 * How much of a text a word is: a word of a script with spaces 4, an ideograph and a kana 2, since two of them make a
 * word or so, a Thai character 1. So a chunk says about as much in every script.
 */
const MASS: Record<number, number> = { [LETTER]: 4, [IDEOGRAPH]: 2, [KANA]: 2, [CLUSTER]: 1 }

/** Of folded text. Stops once the mass is above `maxMass`: whoever asked refuses such a text anyway. */
export function splitWords(folded: string, maxMass: number): Words {
  let capacity = 1024
  let hash = new Int32Array(capacity)
  let kind = new Uint8Array(capacity)
  let length = new Uint8Array(capacity)
  let position = new Int32Array(capacity + 1)
  let count = 0
  let current = SEPARATOR
  let currentHash = 0
  let currentLength = 0

  const finish = () => {
    if (current === SEPARATOR) return
    if (count === capacity) {
      capacity *= 2
      hash = grown(hash, new Int32Array(capacity))
      kind = grown(kind, new Uint8Array(capacity))
      length = grown(length, new Uint8Array(capacity))
      position = grown(position, new Int32Array(capacity + 1))
    }
    hash[count] = mix(currentHash)
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
    // A mark with nothing before it stands for itself.
    const next = asked === MARK ? current || LETTER : asked
    const goesOn = next === current && (asked === MARK || next === LETTER) && currentLength < LONG_WORD
    if (!goesOn) {
      finish()
      currentHash = 0
      currentLength = 0
      current = next
    }
    currentHash = join(currentHash, codePoint)
    currentLength += 1
  }
  finish()
  return { count, hash, kind, length, position }
}

/** The hash of `size` words in a row that end with word `last`. */
export function gramHash({ hash }: Words, last: number, size: number): number {
  let gram = size
  for (let i = last - size + 1; i <= last; i++) gram = join(gram, hash[i]!)
  return gram
}

function grown<T extends Int32Array | Uint8Array>(from: T, to: T): T {
  to.set(from)
  return to
}

/**
 * What a character does to a word. The kinds of scripts are fixed ranges of code points, and "no letter" is asked of
 * Unicode in the form that changes least: a character that a runtime does not know yet is a letter, as most new ones
 * are, and one that is reserved for an emoji is none.
 */
export const SEPARATOR = 0
/** Goes on with the word that it stands in. */
export const LETTER = 1
/** The kinds of tokens of one character, in scripts that put no space between words. */
export const IDEOGRAPH = 2
export const KANA = 3
export const CLUSTER = 4
/** Belongs to the character before it. */
export const MARK = 5
const UNKNOWN = 255

const NO_LETTER = /[\p{P}\p{S}\p{Z}\p{Cc}\p{Cf}\p{Cs}\p{Extended_Pictographic}]/u
const IS_MARK = /\p{M}/u

/** Katakana is a word: it writes names and loans, one after the other, with other scripts in between. */
const SCRIPTS: readonly (readonly [from: number, to: number, kind: number])[] = [
  [0x0e00, 0x0eff, CLUSTER], // Thai, Lao
  [0x1000, 0x109f, CLUSTER], // Myanmar
  [0x1780, 0x17ff, CLUSTER], // Khmer
  [0x1950, 0x19df, CLUSTER], // Tai Le, New Tai Lue
  [0x1a20, 0x1aaf, CLUSTER], // Tai Tham
  [0x3005, 0x3007, IDEOGRAPH],
  [0x3041, 0x309f, KANA],
  [0x3400, 0x9fff, IDEOGRAPH],
  [0xa000, 0xa48f, IDEOGRAPH], // Yi
  [0xa9e0, 0xa9ff, CLUSTER], // Myanmar
  [0xaa60, 0xaadf, CLUSTER], // Myanmar, Tai Viet
  [0xf900, 0xfaff, IDEOGRAPH],
  [0x20000, 0x3ffff, IDEOGRAPH],
]

/** Of the characters below 0x10000, as they are met. */
const kinds = new Uint8Array(0x10000).fill(UNKNOWN)

export function kindOf(codePoint: number): number {
  const known = codePoint < 0x10000 ? kinds[codePoint]! : UNKNOWN
  if (known !== UNKNOWN) return known
  const kind = askedKind(codePoint)
  if (codePoint < 0x10000) kinds[codePoint] = kind
  return kind
}

function askedKind(codePoint: number): number {
  const character = String.fromCodePoint(codePoint)
  if (NO_LETTER.test(character)) return SEPARATOR
  if (IS_MARK.test(character)) return MARK
  return SCRIPTS.find(([from, to]) => codePoint >= from && codePoint <= to)?.[2] ?? LETTER
}

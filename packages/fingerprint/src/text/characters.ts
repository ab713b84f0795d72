/**
 * Character classes for splitting words. Scripts are fixed ranges of code points. "Not a letter" uses the Unicode
 * properties that change least between versions: a character unknown to the runtime counts as a letter, as most new
 * characters are; one reserved for emoji does not.
 */
export const SEPARATOR = 0
/** Continues the current word. */
export const LETTER = 1
/** Kinds of single-character tokens, in scripts without spaces between words. */
export const IDEOGRAPH = 2
export const KANA = 3
export const CLUSTER = 4
/** Belongs to the preceding character. */
export const MARK = 5
/** Continues the current word, as a letter does. */
export const DIGIT = 6
const UNKNOWN = 255

const NO_LETTER = /[\p{P}\p{S}\p{Z}\p{Cc}\p{Cf}\p{Cs}\p{Extended_Pictographic}]/u
const IS_MARK = /\p{M}/u
const IS_DIGIT = /\p{Nd}/u

const SCRIPTS: readonly (readonly [from: number, to: number, kind: number])[] = [
  [0x0e00, 0x0eff, CLUSTER], // Thai, Lao
  [0x1000, 0x109f, CLUSTER], // Myanmar
  [0x1780, 0x17ff, CLUSTER], // Khmer
  [0x1950, 0x19df, CLUSTER], // Tai Le, New Tai Lue
  [0x1a20, 0x1aaf, CLUSTER], // Tai Tham
  [0x3005, 0x3007, IDEOGRAPH],
  [0x3041, 0x30ff, KANA],
  [0x31f0, 0x31ff, KANA],
  [0x3400, 0x9fff, IDEOGRAPH],
  [0xa000, 0xa48f, IDEOGRAPH], // Yi
  [0xa9e0, 0xa9ff, CLUSTER], // Myanmar
  [0xaa60, 0xaadf, CLUSTER], // Myanmar, Tai Viet
  [0xf900, 0xfaff, IDEOGRAPH],
  [0x20000, 0x3ffff, IDEOGRAPH],
]

/** Cache of kinds for characters below 0x10000. */
const kinds = /* @__PURE__ */ (() => new Uint8Array(0x10000).fill(UNKNOWN))()

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
  const script = SCRIPTS.find(([from, to]) => codePoint >= from && codePoint <= to)
  return script?.[2] ?? (IS_DIGIT.test(character) ? DIGIT : LETTER)
}

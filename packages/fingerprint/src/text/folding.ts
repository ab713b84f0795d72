import { replaceCharacters } from './replacements.ts'

type Range = readonly [from: number, to: number]

/**
 * Optional marks: accents, Hebrew and Arabic points. Fixed ranges, so that the result does not depend on the runtime's
 * Unicode version. Vowel signs of Indic and Thai scripts are not included: without them, distinct words collapse.
 */
const POINTS: readonly Range[] = [
  [0x0300, 0x036f],
  [0x0483, 0x0487],
  [0x0591, 0x05bd],
  [0x05bf, 0x05bf],
  [0x05c1, 0x05c1],
  [0x05c2, 0x05c2],
  [0x05c4, 0x05c4],
  [0x05c5, 0x05c5],
  [0x05c7, 0x05c7],
  [0x0610, 0x061a],
  [0x064b, 0x065f],
  [0x0670, 0x0670],
  [0x06d6, 0x06dc],
  [0x06df, 0x06e4],
  [0x06e7, 0x06e7],
  [0x06e8, 0x06e8],
  [0x06ea, 0x06ed],
  [0x1ab0, 0x1aff],
  [0x1dc0, 0x1dff],
  [0x20d0, 0x20ff],
  [0xfe20, 0xfe2f],
]

/**
 * Invisible or purely typographic: control characters other than tabs and line breaks, soft hyphen, kashida, joiners,
 * direction marks, variation selectors, fillers and the empty braille pattern.
 */
const UNSEEN: readonly Range[] = [
  [0x0000, 0x0008],
  [0x000e, 0x001f],
  [0x007f, 0x009f],
  [0x00ad, 0x00ad],
  [0x034f, 0x034f],
  [0x061c, 0x061c],
  [0x0640, 0x0640],
  [0x115f, 0x115f],
  [0x1160, 0x1160],
  [0x17b4, 0x17b4],
  [0x17b5, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x206f],
  [0x2800, 0x2800],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
]

const LEFT_OUT = /* @__PURE__ */ (() => new RegExp(`[${[...POINTS, ...UNSEEN].map(charactersOf).join('')}]`, 'gu'))()

/**
 * Normalization sorts runs of marks, which takes more than linear time on long ones. No language puts more than a few on
 * one letter; the stream-safe format of UAX #15 allows 30.
 */
const MAX_MARKS = 8
/** With the half-width voiced sound marks, which are letters until they are normalized. */
const MARK = /[\p{M}\uff9e\uff9f]/u
const MARK_FLOOD = /* @__PURE__ */ (() => new RegExp(`${MARK.source}{${MAX_MARKS + 1}}`, 'u'))()

/**
 * A hyphen between two letters, where a line ends after it: a word that was broken there. A compound that was broken at its
 * own hyphen becomes one word, too.
 */
const BROKEN_WORD = /(?<=[\p{L}\p{M}])[-\u2010]\p{Zs}*[\n\v\f\r\u2028\u2029][\s]*(?=\p{L})/gu

/**
 * Normalizes texts that look alike to one form: NFKC, lowercase, without points and invisible characters, words that were
 * broken at the end of a line whole again, with one letter for those that look like it. Folding what is folded changes
 * nothing.
 */
export function fold(text: string): string {
  // A lone surrogate would become part of a pair when what separates it from the other half is removed.
  const seen = text.toWellFormed().replaceAll(LEFT_OUT, '')
  const decomposed = withoutFloods(seen).normalize('NFKD').toLowerCase().replaceAll(LEFT_OUT, '').replaceAll('ß', 'ss')
  // Decomposed characters bring marks of their own.
  return replaceCharacters(withoutFloods(decomposed.replaceAll(BROKEN_WORD, '')).normalize('NFC'))
}

/** Character by character: a regular expression would exhaust the stack on a run this long. */
function withoutFloods(text: string): string {
  if (!MARK_FLOOD.test(text)) return text
  let kept = ''
  let marks = 0
  for (const character of text) {
    marks = MARK.test(character) ? marks + 1 : 0
    if (marks <= MAX_MARKS) kept += character
  }
  return kept
}

function charactersOf([from, to]: Range): string {
  return `\\u{${from.toString(16)}}-\\u{${to.toString(16)}}`
}

type Range = readonly [from: number, to: number]

/**
 * Marks that writers leave out or add at will: accents, Hebrew and Arabic points. Fixed ranges, so that no runtime's
 * Unicode version decides. Vowel signs of Indic and Thai scripts are not among them: without those words collapse.
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

/** What is not seen, or only stretches a line: soft hyphen, kashida, joiners, direction and variation selectors. */
const UNSEEN: readonly Range[] = [
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
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
]

const LEFT_OUT = new RegExp(`[${[...POINTS, ...UNSEEN].map(charactersOf).join('')}]`, 'gu')

/**
 * Normalization sorts a run of marks, which takes more than linear time on a long one. No language puts more than a
 * few on one letter; the stream-safe format of UAX #15 allows 30.
 */
const MAX_MARKS = 8
const MARK_FLOOD = /\p{M}{9}/u
const MARK = /\p{M}/u

/** Where lower case alone is not case folding: ß and SS, final sigma, dotless i. */
const UNFOLDED = /[ßςı]/g
const FOLDED: Record<string, string> = { ß: 'ss', ς: 'σ', ı: 'i' }

/** One form for texts that a reader would call the same: NFKC and lower case, without points and unseen characters. */
export function fold(text: string): string {
  const seen = text.replaceAll(LEFT_OUT, '')
  return (MARK_FLOOD.test(seen) ? withoutFloods(seen) : seen)
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(LEFT_OUT, '')
    .replaceAll(UNFOLDED, (letter) => FOLDED[letter] ?? letter)
    .normalize('NFC')
}

/** Character by character: a regular expression over so long a run exhausts its stack. */
function withoutFloods(text: string): string {
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

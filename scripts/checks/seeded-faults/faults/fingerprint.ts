import { defineFaults } from '../fault.ts'

/** How texts are compared. */
export const FINGERPRINT_FAULTS = defineFaults([
  {
    id: 'fingerprint-threshold',
    promise: 'Unrelated texts do not match.',
    find: 'export const MATCH_DISTANCE = 76',
    replace: 'export const MATCH_DISTANCE = 110',
    tests: ['score', 'fingerprint.test'],
  },
  {
    id: 'fingerprint-folding',
    promise: 'Invisible characters do not hide a text.',
    find: `\`[\${[...POINTS, ...UNSEEN].map(charactersOf).join('')}]\``,
    replace: `\`[\${[...POINTS, ...UNSEEN.slice(0, 1)].map(charactersOf).join('')}]\``,
    tests: ['folding'],
  },
  {
    id: 'fingerprint-look-alikes',
    promise: 'Letters that look alike do not hide a text.',
    find: "return replaceCharacters(withoutFloods(decomposed.replaceAll(BROKEN_WORD, '')).normalize('NFC'))",
    replace: "return withoutFloods(decomposed.replaceAll(BROKEN_WORD, '')).normalize('NFC')",
    tests: ['evasion', 'replacements'],
  },
  {
    id: 'fingerprint-half-width-marks',
    promise: 'No text takes long to compare.',
    find: 'const MARK = /[\\p{M}\\uff9e\\uff9f]/u',
    replace: 'const MARK = /\\p{M}/u',
    tests: ['linear'],
  },
  {
    id: 'images-median',
    promise: 'Image hashes agree with everybody else’s.',
    find: 'frequencies.toSorted()[DIMENSIONS / 2 - 1]!',
    replace: 'frequencies.toSorted()[DIMENSIONS / 2]!',
    tests: ['images/pdq'],
  },
  {
    id: 'images-detail',
    promise: 'Blank images match nothing.',
    find: 'if (fingerprint.quality >= MIN_QUALITY) return fingerprint',
    replace: 'if (fingerprint.quality >= 0) return fingerprint',
    tests: ['images/images'],
  },
  {
    id: 'broken-words-kept',
    promise: 'A text whose words were broken at the ends of lines is found.',
    find: "decomposed.replaceAll(BROKEN_WORD, '')",
    replace: 'decomposed',
    tests: ['fingerprint/src/evasion', 'fingerprint/src/golden'],
  },
])

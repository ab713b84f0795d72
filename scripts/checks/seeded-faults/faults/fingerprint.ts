import { defineFaults } from '../fault.ts'

/** How texts are compared. */
export const FINGERPRINT_FAULTS = defineFaults([
  {
    id: 'fingerprint-threshold',
    about: 'Unrelated texts count as matches',
    find: 'export const MATCH_DISTANCE = 76',
    replace: 'export const MATCH_DISTANCE = 110',
    tests: ['score', 'fingerprint.test'],
  },
  {
    id: 'fingerprint-folding',
    about: 'Invisible characters change the fingerprint',
    find: `const LEFT_OUT = new RegExp(\`[\${[...POINTS, ...UNSEEN].map(charactersOf).join('')}]\`, 'gu')`,
    replace: `const LEFT_OUT = new RegExp(\`[\${[...POINTS, ...UNSEEN.slice(0, 1)].map(charactersOf).join('')}]\`, 'gu')`,
    tests: ['folding'],
  },
  {
    id: 'fingerprint-look-alikes',
    about: 'Letters of another script that look the same hide a text',
    find: "return replaceCharacters(withoutFloods(decomposed).normalize('NFC'))",
    replace: "return withoutFloods(decomposed).normalize('NFC')",
    tests: ['evasion', 'replacements'],
  },
  {
    id: 'fingerprint-half-width-marks',
    about: 'Marks that are letters until they are normalized take quadratic time',
    find: 'const MARK = /[\\p{M}\\uff9e\\uff9f]/u',
    replace: 'const MARK = /\\p{M}/u',
    tests: ['linear'],
  },
  {
    id: 'fingerprint-fold-again',
    about: 'Folding what is folded changes it',
    find: 'replaceCharacters(withoutFloods(decomposed)',
    replace: 'replaceCharacters(decomposed',
    tests: ['folding'],
  },
  {
    id: 'fingerprint-doubled-letters',
    about: 'A doubled letter hides a word',
    find: 'if (goesOn && codePoint === previous && asked === LETTER) continue',
    replace: '',
    tests: ['evasion', 'words'],
  },
  {
    id: 'fingerprint-repeats',
    about: 'Repeated words count each time',
    find: 'if (!this.#seen.add(hash)) return',
    replace: 'this.#seen.add(hash)',
    tests: ['projection', 'golden'],
  },
  {
    id: 'images-median',
    about: 'Image hashes use another median than everybody else',
    find: 'frequencies.toSorted()[DIMENSIONS / 2 - 1]!',
    replace: 'frequencies.toSorted()[DIMENSIONS / 2]!',
    tests: ['images/pdq'],
  },
  {
    id: 'images-precision',
    about: 'Image hashes differ between engines and implementations, because sums are in double precision',
    find: 'sum = fround(sum + fround(waves[i * side + y]! * square[y * side + x]!))',
    replace: 'sum += waves[i * side + y]! * square[y * side + x]!',
    tests: ['images/pdq'],
  },
  {
    id: 'images-detail',
    about: 'Blank images are registered, and match each other',
    find: 'if (fingerprint.quality >= MIN_QUALITY) return fingerprint',
    replace: 'if (fingerprint.quality >= 0) return fingerprint',
    tests: ['images/images'],
  },
])

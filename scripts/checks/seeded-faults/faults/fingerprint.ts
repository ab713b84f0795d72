import { defineFaults } from '../fault.ts'

/** How texts are compared. */
export const FINGERPRINT_FAULTS = defineFaults([
  {
    id: 'fingerprint-threshold',
    about: 'Unrelated texts count as matches',
    edits: [{ find: 'export const MATCH_DISTANCE = 76', replace: 'export const MATCH_DISTANCE = 110' }],
    projects: ['fingerprint', 'client-node'],
    tests: ['score', 'fingerprint.test'],
  },
  {
    id: 'fingerprint-folding',
    about: 'Invisible characters change the fingerprint',
    edits: [
      {
        find: `const LEFT_OUT = new RegExp(\`[\${[...POINTS, ...UNSEEN].map(charactersOf).join('')}]\`, 'gu')`,
        replace: `const LEFT_OUT = new RegExp(\`[\${[...POINTS, ...UNSEEN.slice(0, 1)].map(charactersOf).join('')}]\`, 'gu')`,
      },
    ],
    projects: ['fingerprint'],
    tests: ['folding'],
  },
  {
    id: 'fingerprint-look-alikes',
    about: 'Letters of another script that look the same hide a text',
    edits: [
      {
        find: "return replaceCharacters(withoutFloods(decomposed).normalize('NFC'))",
        replace: "return withoutFloods(decomposed).normalize('NFC')",
      },
    ],
    projects: ['fingerprint'],
    tests: ['evasion', 'replacements'],
  },
  {
    id: 'fingerprint-half-width-marks',
    about: 'Marks that are letters until they are normalized take quadratic time',
    edits: [{ find: String.raw`const MARK = /[\p{M}\uff9e\uff9f]/u`, replace: String.raw`const MARK = /\p{M}/u` }],
    projects: ['fingerprint'],
    tests: ['linear'],
  },
  {
    id: 'fingerprint-fold-again',
    about: 'Folding what is folded changes it',
    edits: [{ find: 'replaceCharacters(withoutFloods(decomposed)', replace: 'replaceCharacters(decomposed' }],
    projects: ['fingerprint'],
    tests: ['folding'],
  },
  {
    id: 'fingerprint-doubled-letters',
    about: 'A doubled letter hides a word',
    edits: [{ find: '    if (goesOn && codePoint === previous && asked === LETTER) continue\n', replace: '' }],
    projects: ['fingerprint'],
    tests: ['evasion', 'words'],
  },
  {
    id: 'fingerprint-repeats',
    about: 'Repeated words count each time',
    edits: [{ find: 'if (!this.#seen.add(hash)) return', replace: 'this.#seen.add(hash)' }],
    projects: ['fingerprint'],
    tests: ['projection', 'golden'],
  },
  {
    id: 'images-median',
    about: 'Image hashes use another median than everybody else',
    edits: [
      {
        find: 'frequencies.toSorted()[DIMENSIONS / 2 - 1]!',
        replace: 'frequencies.toSorted()[DIMENSIONS / 2]!',
      },
    ],
    projects: ['fingerprint'],
    tests: ['images/pdq'],
  },
  {
    id: 'images-precision',
    about: 'Image hashes differ between engines and implementations, because sums are in double precision',
    edits: [
      {
        find: 'sum = fround(sum + fround(waves[i * side + y]! * square[y * side + x]!))',
        replace: 'sum += waves[i * side + y]! * square[y * side + x]!',
      },
    ],
    projects: ['fingerprint'],
    tests: ['images/pdq'],
  },
  {
    id: 'images-detail',
    about: 'Blank images are registered, and match each other',
    edits: [
      {
        find: 'if (fingerprint.quality >= MIN_QUALITY) return fingerprint',
        replace: 'if (fingerprint.quality >= 0) return fingerprint',
      },
    ],
    projects: ['client-node'],
    tests: ['images/images'],
  },
])

import { defineFaults } from '../../fault.ts'

/** Sheets of words, and the file that goes with them. */
export const SHEET_FAULTS = defineFaults([
  {
    id: 'words-of-another-kind',
    promise: 'Words of a sheet that are typed where those of a key belong are named, and taken for nothing else.',
    find: "wordlist[last ^ MASKS[kind]] ?? ''",
    replace: "wordlist[last] ?? ''",
    tests: ['backup/words/words.test'],
  },
  {
    id: 'sheet-keys-of-one-epoch',
    promise: 'A thief of one successor learns nothing about those of later epochs.',
    find: "[use, scope, epoch].join(' ')",
    replace: "[use, scope].join(' ')",
    tests: ['test/sheet-vectors'],
  },
  {
    id: 'sheet-reader-is-successor',
    promise: 'What opens old notes cannot become the root key.',
    find: "const READER_SALT = 'svc/recovery-reader/v1'",
    replace: 'const READER_SALT = SUCCESSOR_SALT',
    tests: ['test/sheet-vectors'],
  },
  {
    id: 'recovery-file-one-sheet',
    promise: 'Each sheet recovers with the file in a day, not only the first.',
    find: 'const publicKeys = keys.map(({ publicKeyB64u }) => publicKeyB64u)',
    replace: 'const publicKeys = keys.slice(0, 1).map(({ publicKeyB64u }) => publicKeyB64u)',
    tests: ['recovery/sheets.test'],
  },
  {
    id: 'recovery-file-same-epoch',
    promise: 'After a recovery the same sheets can follow again.',
    find: 'const commitment = await commitmentOf(following, { scope, epoch: epoch + 2 })',
    replace: 'const commitment = await commitmentOf(following, { scope, epoch: epoch + 1 })',
    tests: ['recovery/sheets.test'],
  },
  {
    id: 'recovery-rival-of-own',
    promise: 'Two of your own requests never end each other.',
    find: 'if (kept.requests.length < this.#kept.requests.length) await this.#refuseRival(kept)',
    replace: '',
    tests: ['committed/sheets.test'],
  },
  {
    id: 'unconfirmed-sheet-counts',
    promise: 'A sheet whose words nobody has read from the paper counts as none.',
    find: 'sheets.filter(({ confirmedAt, isNamed }) => isNamed && confirmedAt !== null)',
    replace: 'sheets.filter(({ isNamed }) => isNamed)',
    tests: ['recovery/sheets.test'],
  },
  {
    id: 'notes-not-for-sheets',
    promise: 'The words of a sheet open the notes of before, when every key and device is lost.',
    find: 'uniqueKeys([owner, root, ...theirs, ...sheets])',
    replace: 'uniqueKeys([owner, root, ...theirs])',
    tests: ['committed/sheets.test'],
  },
  {
    id: 'one-word-confirms',
    promise: 'A sheet is confirmed only if all asked words are right.',
    find: "return positions.every((position, at) => words[position - 1] === wordsIn(typed[at] ?? ''))",
    replace: "return positions.some((position, at) => words[position - 1] === wordsIn(typed[at] ?? ''))",
    tests: ['recovery/sheets.test'],
  },
])

/**
 * Keys on paper: seeds as words, and a sheet with a QR code. An entry of its own because of the list of words.
 *
 * @module
 */
export {
  type IdentityWords,
  identityOfCode,
  identityOfSheet,
  identityOfWords,
  type RecoverySheet,
  recoverySheet,
} from './backup/words/sheet.ts'
export { seedOf, wordsOf } from './backup/words/words.ts'
export { RecoveryWordsError, type RecoveryWordsReason } from './backup/words/words-error.ts'
export {
  type CommitmentOptions,
  commitmentOf,
  type SheetKey,
  type SuccessorSource,
} from './recovery/commitment-of.ts'
export { SuccessorSheet } from './recovery/successor-sheet.ts'

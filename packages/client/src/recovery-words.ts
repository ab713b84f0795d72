/**
 * Keys on paper: seeds as words, sheets, and printed keys with a QR code. An entry of its own because of the list of words.
 *
 * @module
 */
export {
  type IdentityWords,
  identityOfCode,
  identityOfPrintedKey,
  identityOfWords,
  type PrintedKey,
  printedKey,
} from './backup/words/printed-key.ts'
export { seedOf, type WordsKind, wordsOf } from './backup/words/words.ts'
export { RecoveryWordsError, type RecoveryWordsReason } from './backup/words/words-error.ts'
export { askedPositions, confirmsWords } from './recovery/asked-words.ts'
export {
  type CommitmentOptions,
  commitmentOf,
  type SheetKey,
  type SuccessorSource,
} from './recovery/commitment-of.ts'
export { type Readiness, type ReadinessOf, type RecoveryMeaning, recoveryReadiness } from './recovery/readiness.ts'
export { type RenewOptions, recoveryByWords, renewRecovery } from './recovery/renew-recovery.ts'
export { recordedSheet, recordOfSheet, type SheetRecord } from './recovery/sheet-record.ts'
export { type SheetReader, SuccessorSheet } from './recovery/successor-sheet.ts'

import type { SuccessorSheet } from '@svc/client/recovery-words'

/** A sheet that this page has shown. Its words exist only in this page. */
export interface MadeSheet {
  readonly sheet: SuccessorSheet
  /** When its owner typed two of its words from the paper, epoch ms; null if never. */
  readonly confirmedAt: number | null
}

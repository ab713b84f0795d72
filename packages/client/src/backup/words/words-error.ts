/**
 * - `wrong_count`: there are not as many words as the secret has.
 * - `unknown_word`: a word is not on the list: see `position`.
 * - `wrong_checksum`: each word is on the list, but one is wrong, or two changed places.
 * - `other_kind`: the words are valid but of another kind, for example of a sheet instead of a signing key.
 * - `malformed`: the code is not that of a printed key, or was modified.
 */
export type RecoveryWordsReason = 'wrong_count' | 'unknown_word' | 'wrong_checksum' | 'other_kind' | 'malformed'

/** Recovery words, or the code of a printed key, were not read or written correctly. The words are not in the message. */
export class RecoveryWordsError extends Error {
  override readonly name = 'RecoveryWordsError'
  readonly reason: RecoveryWordsReason
  /** Which word it is, counted from 1; null unless one is unknown. */
  readonly position: number | null

  constructor(reason: RecoveryWordsReason, message: string, position: number | null = null) {
    super(message)
    this.reason = reason
    this.position = position
  }
}

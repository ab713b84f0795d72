import { type Fingerprint, fingerprintText as fingerprintOf } from '#fingerprint'
import { checkCall } from '../arguments/check.ts'

/**
 * Computes the fingerprint of a text. It is the same in every runtime, and the same for texts that differ only in case,
 * spaces, punctuation, accents, look-alike letters, Arabic letters of another keyboard, words broken at line ends, kana and
 * Han variants. Throws a RangeError for a text with fewer than 5 words or more than 5,000 chunks.
 */
export function fingerprintText(text: string): Fingerprint {
  checkCall('fingerprintText', [text], ['text'])
  return fingerprintOf(text)
}

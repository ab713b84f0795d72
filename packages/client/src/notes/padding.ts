/**
 * Padding to lengths of Padmé, which add at most one eighth and are so few that most ciphertexts share theirs with others.
 *
 * @module
 */
import { MAX_ATTACHMENT_BYTES } from '#protocol/notes/notes'
import { unverified } from '../verification/verification-error.ts'
import { largestPlaintext } from './attachment-cipher.ts'

/** Below this, all have the same length. */
const MIN_PADDED_BYTES = 256
const MARK = 0x80

/** A text, with ISO/IEC 7816-4 padding. */
export function pad(bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array(paddedLength(bytes.length + 1))
  padded.set(bytes)
  padded[bytes.length] = MARK
  return padded
}

export function unpad(padded: Uint8Array): Uint8Array {
  const end = padded.findLastIndex((byte) => byte !== 0)
  if (end < 0 || padded[end] !== MARK) throw unverified('note', 'modified', 'The padding of the note is invalid')
  return padded.subarray(0, end)
}

/** The length of a file with its padding, which is zeros: its note says how long the file is. */
export function paddedFileLength(bytes: number): number {
  // Above the last length that fits, all files are as long as the largest.
  return Math.max(bytes, Math.min(paddedLength(bytes), largestPlaintext(MAX_ATTACHMENT_BYTES)))
}

function paddedLength(length: number): number {
  if (length <= MIN_PADDED_BYTES) return MIN_PADDED_BYTES
  const exponent = Math.floor(Math.log2(length))
  const step = 2 ** (exponent - (Math.floor(Math.log2(exponent)) + 1))
  return Math.ceil(length / step) * step
}

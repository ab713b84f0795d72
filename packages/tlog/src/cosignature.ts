/**
 * What is signed of a checkpoint by those who observed it, and by a log with ML-DSA-44 (c2sp.org/tlog-cosignature).
 *
 * @module
 */

import { concatBytes } from '#protocol/base/bytes'
import { pure } from '#protocol/base/pure'
import { parseCheckpoint } from './checkpoint.ts'

const TIMESTAMP_BYTES = 8
const LABEL = /* @__PURE__ */ pure(() => new TextEncoder().encode('subtree/v1\n\0'))
const encoder = /* @__PURE__ */ new TextEncoder()

export interface Timestamped {
  readonly timestamp: number
  readonly signature: Uint8Array
}

/** Null if the signature, without its timestamp, does not have this length, or for times beyond 2^53 seconds. */
export function parseTimestamped(bytes: Uint8Array, signatureBytes: number): Timestamped | null {
  if (bytes.length !== TIMESTAMP_BYTES + signatureBytes) return null
  const timestamp = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0))
  return Number.isSafeInteger(timestamp) ? { timestamp, signature: bytes.subarray(TIMESTAMP_BYTES) } : null
}

export function timestamped({ timestamp, signature }: Timestamped): Uint8Array {
  return concatBytes([uint64(timestamp), signature])
}

/** What an Ed25519 key signs of a checkpoint: all of its text. */
export function ed25519Message(text: string, timestamp: number): Uint8Array {
  return encoder.encode(`cosignature/v1\ntime ${timestamp}\n${text}`)
}

/**
 * What an ML-DSA-44 key signs of a checkpoint: the whole tree, and who signs. Null if a name is longer than 255 bytes, or
 * for a checkpoint with extension lines, which this form does not cover.
 */
export function mlDsa44Message(cosigner: string, text: string, timestamp: number): Uint8Array | null {
  const checkpoint = parseCheckpoint(text)
  if (!checkpoint || checkpoint.extensions.length > 0) return null
  const [cosignerName, origin] = [shortBytes(cosigner), shortBytes(checkpoint.origin)]
  if (!cosignerName || !origin) return null
  const { size, root } = checkpoint
  return concatBytes([LABEL, cosignerName, uint64(timestamp), origin, uint64(0), uint64(size), root])
}

/** `opaque <1..2^8-1>` of RFC 8446 section 3.4. */
function shortBytes(text: string): Uint8Array | null {
  const bytes = encoder.encode(text)
  return bytes.length < 1 || bytes.length > 255 ? null : concatBytes([new Uint8Array([bytes.length]), bytes])
}

function uint64(value: number): Uint8Array {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value))
  return bytes
}

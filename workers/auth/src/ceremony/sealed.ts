/**
 * A ceremony that its id carries: the time at which it ends, and its state, encrypted. Nothing is stored when it begins, so
 * a stranger who begins many makes the service keep nothing.
 *
 * @module
 */
import { decodeBase64url, encodeBase64url } from '@svc/protocol/base/base64url'
import { concatBytes } from '@svc/protocol/base/bytes'
import type { CeremonyKind } from './rules.ts'

/** Epoch milliseconds, big-endian. */
const TIME_BYTES = 6
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** Every state is as long, so that the id of a login does not tell whether there is an account. */
const STATE_BYTES = 512
/** Random nonces may repeat after 2^32 messages under one key, so that each day has its own. */
const DAY_MS = 86_400_000

/** The AES-GCM key of one day. */
export type SealingKey = (day: number) => Promise<CryptoKey>

/** What was sealed, and the bytes by which it is remembered once it was spent. */
export interface Opened {
  readonly name: Uint8Array
  readonly expiresAt: number
  readonly state: string
}

export async function seal(keyOf: SealingKey, kind: CeremonyKind, state: string, expiresAt: number): Promise<string> {
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES))
  const head = concatBytes([timeBytes(expiresAt), nonce])
  const key = await keyAt(keyOf, expiresAt)
  const text = padded(state)
  const sealed = await crypto.subtle.encrypt(
    { name: 'AES-GCM', iv: nonce, additionalData: about(kind, head) },
    key,
    text,
  )
  return encodeBase64url(concatBytes([head, new Uint8Array(sealed)]))
}

/** Null for anything that was not sealed here for this kind. It may be over, and it may have been spent. */
export async function open(keyOf: SealingKey, kind: CeremonyKind, id: string): Promise<Opened | null> {
  const bytes = decodeBase64url(id)
  if (!bytes || bytes.length < TIME_BYTES + NONCE_BYTES + TAG_BYTES) return null
  const head = bytes.slice(0, TIME_BYTES + NONCE_BYTES)
  const name = head.slice(TIME_BYTES)
  const expiresAt = timeOf(head)
  const key = await keyAt(keyOf, expiresAt)
  const sealed = bytes.slice(head.length)
  try {
    const algorithm = { name: 'AES-GCM', iv: name, additionalData: about(kind, head) }
    const text = new TextDecoder().decode(await crypto.subtle.decrypt(algorithm, key, sealed))
    return { name, expiresAt, state: text.trimEnd() }
  } catch {
    return null
  }
}

/** With spaces at the end, which JSON does not mind. */
function padded(state: string): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(state)
  if (text.length > STATE_BYTES) throw new RangeError(`a state of ${text.length} bytes is too long to be sealed`)
  const bytes = new Uint8Array(STATE_BYTES).fill(32)
  bytes.set(text)
  return bytes
}

function keyAt(keyOf: SealingKey, time: number): Promise<CryptoKey> {
  return keyOf(Math.floor(time / DAY_MS))
}

function about(kind: CeremonyKind, head: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(concatBytes([new TextEncoder().encode(`svc/sealed-ceremony/v1 ${kind} `), head]))
}

function timeBytes(time: number): Uint8Array {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(time))
  return bytes.slice(8 - TIME_BYTES)
}

function timeOf(head: Uint8Array): number {
  const bytes = new Uint8Array(8)
  bytes.set(head.subarray(0, TIME_BYTES), 8 - TIME_BYTES)
  return Number(new DataView(bytes.buffer).getBigUint64(0))
}

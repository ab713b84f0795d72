/**
 * Encryption of attachments: the STREAM construction, in chunks of 64 KiB under a key of their own, so that you can read
 * and authenticate any part without the rest. The nonce of a chunk is its number and whether it is the last, so nothing
 * can be truncated, reordered or appended.
 *
 * @module
 */
import { concatBytes } from '@svc/protocol/base/bytes'
import { unverified } from '../verification/verification-error.ts'

const CHUNK_BYTES = 64 * 1024
const TAG_BYTES = 16
const SEALED_CHUNK_BYTES = CHUNK_BYTES + TAG_BYTES

/** Length of the ciphertext for a plaintext length. An empty attachment is one empty chunk. */
export function sealedLength(bytes: number): number {
  return bytes + chunksOf(bytes) * TAG_BYTES
}

export async function sealAttachment(plaintext: Uint8Array, key: Uint8Array): Promise<Uint8Array> {
  const sealer = await importKey(key, 'encrypt')
  const sealed = new Uint8Array(sealedLength(plaintext.length))
  const chunks = chunksOf(plaintext.length)
  for (let i = 0; i < chunks; i++) {
    const chunk = plaintext.slice(i * CHUNK_BYTES, (i + 1) * CHUNK_BYTES)
    const bytes = await crypto.subtle.encrypt(parameters(i, i === chunks - 1), sealer, chunk)
    sealed.set(new Uint8Array(bytes), i * SEALED_CHUNK_BYTES)
  }
  return sealed
}

/** The chunks that contain a range of the plaintext, and their position in the ciphertext; ends are exclusive. */
export interface ChunkWindow {
  readonly firstChunk: number
  readonly start: number
  readonly end: number
}

export function windowOf(start: number, end: number, bytes: number): ChunkWindow {
  const firstChunk = Math.min(Math.floor(start / CHUNK_BYTES), chunksOf(bytes) - 1)
  const lastChunk = Math.max(firstChunk, Math.ceil(end / CHUNK_BYTES) - 1)
  return {
    firstChunk,
    start: firstChunk * SEALED_CHUNK_BYTES,
    end: Math.min((lastChunk + 1) * SEALED_CHUNK_BYTES, sealedLength(bytes)),
  }
}

/** The plaintext of consecutive chunks of an attachment of `bytes` bytes. Throws if any of them was modified. */
export async function openChunks(
  sealed: Uint8Array,
  firstChunk: number,
  bytes: number,
  key: Uint8Array,
): Promise<Uint8Array> {
  const opener = await importKey(key, 'decrypt')
  const last = chunksOf(bytes) - 1
  const opened: Uint8Array[] = []
  for (let i = firstChunk, at = 0; at < sealed.length; i++, at += SEALED_CHUNK_BYTES) {
    const chunk = sealed.slice(at, at + SEALED_CHUNK_BYTES)
    const plain = await crypto.subtle.decrypt(parameters(i, i === last), opener, chunk).catch(() => {
      throw unverified('attachment', 'modified', 'The attachment was modified')
    })
    opened.push(new Uint8Array(plain))
  }
  return concatBytes(opened)
}

export function chunkStart(firstChunk: number): number {
  return firstChunk * CHUNK_BYTES
}

function chunksOf(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / CHUNK_BYTES))
}

function parameters(chunk: number, isLast: boolean) {
  const iv = new Uint8Array(12)
  new DataView(iv.buffer).setUint32(7, chunk)
  iv[11] = isLast ? 1 : 0
  return { name: 'AES-GCM', iv }
}

function importKey(raw: Uint8Array, use: 'encrypt' | 'decrypt') {
  return crypto.subtle.importKey('raw', new Uint8Array(raw), 'AES-GCM', false, [use])
}

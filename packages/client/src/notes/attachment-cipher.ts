/**
 * Encryption of attachments: the STREAM construction, in chunks of 64 KiB under a key of their own, so that you can read
 * and authenticate any part without the rest. The nonce of a chunk is its number and whether it is the last, so nothing
 * can be truncated, reordered or appended.
 *
 * @module
 */
import { concatBytes } from '#protocol/base/bytes'
import { unverified } from '../verification/verification-error.ts'

const CHUNK_BYTES = 64 * 1024
const TAG_BYTES = 16
const SEALED_CHUNK_BYTES = CHUNK_BYTES + TAG_BYTES

/** Length of the ciphertext for a plaintext length. An empty attachment is one empty chunk. */
export function sealedLength(bytes: number): number {
  return bytes + chunksOf(bytes) * TAG_BYTES
}

/** The longest plaintext whose ciphertext has at most this length. */
export function largestPlaintext(sealedBytes: number): number {
  return sealedBytes - Math.ceil(sealedBytes / SEALED_CHUNK_BYTES) * TAG_BYTES
}

/** Encrypts a file as it arrives, in pieces of any length. */
export class AttachmentSealer {
  readonly #key: Promise<CryptoKey>
  readonly #sealed: Uint8Array[] = []
  #waiting: Uint8Array = new Uint8Array()
  #bytes = 0

  constructor(key: Uint8Array) {
    this.#key = importKey(key, 'encrypt')
  }

  /** Length of the plaintext so far. */
  get bytes(): number {
    return this.#bytes
  }

  async add(piece: Uint8Array): Promise<void> {
    this.#bytes += piece.length
    let waiting = this.#waiting.length === 0 ? piece : concatBytes([this.#waiting, piece])
    // Which chunk is the last is known only at the end, so one always waits.
    for (; waiting.length > CHUNK_BYTES; waiting = waiting.subarray(CHUNK_BYTES))
      await this.#seal(waiting.subarray(0, CHUNK_BYTES), false)
    this.#waiting = waiting.slice()
  }

  /** The whole ciphertext. */
  async end(): Promise<Uint8Array> {
    await this.#seal(this.#waiting, true)
    return concatBytes(this.#sealed)
  }

  async #seal(chunk: Uint8Array, isLast: boolean): Promise<void> {
    const sealed = await crypto.subtle.encrypt(
      parameters(this.#sealed.length, isLast),
      await this.#key,
      new Uint8Array(chunk),
    )
    this.#sealed.push(new Uint8Array(sealed))
  }
}

export async function sealAttachment(plaintext: Uint8Array, key: Uint8Array): Promise<Uint8Array> {
  const sealer = new AttachmentSealer(key)
  await sealer.add(plaintext)
  return sealer.end()
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
  const opener = new AttachmentOpener(firstChunk, bytes, key)
  return concatBytes([...(await opener.add(sealed)), ...(await opener.end())])
}

/** Decrypts consecutive chunks of an attachment of `bytes` bytes as they arrive, in pieces of any length. */
export class AttachmentOpener {
  readonly #key: Promise<CryptoKey>
  readonly #last: number
  #next: number
  #waiting: Uint8Array = new Uint8Array()

  constructor(firstChunk: number, bytes: number, key: Uint8Array) {
    this.#key = importKey(key, 'decrypt')
    this.#last = chunksOf(bytes) - 1
    this.#next = firstChunk
  }

  /** The chunks that this piece completes. Throws if any of them was modified. */
  async add(piece: Uint8Array): Promise<Uint8Array[]> {
    let waiting = this.#waiting.length === 0 ? piece : concatBytes([this.#waiting, piece])
    const opened: Uint8Array[] = []
    for (; waiting.length >= SEALED_CHUNK_BYTES; waiting = waiting.subarray(SEALED_CHUNK_BYTES))
      opened.push(await this.#open(waiting.subarray(0, SEALED_CHUNK_BYTES)))
    this.#waiting = waiting.slice()
    return opened
  }

  /** The chunk at the end, if it is shorter than the others. */
  async end(): Promise<Uint8Array[]> {
    return this.#waiting.length === 0 ? [] : [await this.#open(this.#waiting)]
  }

  async #open(sealed: Uint8Array): Promise<Uint8Array> {
    const chunk = this.#next++
    const key = await this.#key
    const opened = await crypto.subtle
      .decrypt(parameters(chunk, chunk === this.#last), key, new Uint8Array(sealed))
      .catch(() => {
        throw unverified('attachment', 'modified', 'The attachment was modified')
      })
    return new Uint8Array(opened)
  }
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

import { bytesOf } from '@svc/protocol/base/base64url'
import { hashHexAsync } from '@svc/protocol/base/hash'
import { attachmentSchema } from '@svc/protocol/notes/api'
import type { Transport } from '../transport/transport.ts'
import { unverified } from '../verification/verification-error.ts'
import { chunkStart, openChunks, windowOf } from './attachment-cipher.ts'
import type { AttachedFile } from './record.ts'

export interface NewFile {
  readonly name: string
  /** Media type; encrypted, like the name. */
  readonly type: string
  /** At most 25 MiB including sixteen bytes per 64 KiB. */
  readonly bytes: Uint8Array
}

/** The encrypted files of a vault. */
export class NoteFiles {
  readonly #transport: Transport
  readonly #base: () => string

  constructor(transport: Transport, base: () => string) {
    this.#transport = transport
    this.#base = base
  }

  async put(noteId: string, attachmentId: string, sealed: Uint8Array): Promise<void> {
    const url = `${this.#base()}/${noteId}/attachments/${attachmentId}?cipherHash=${await hashHexAsync(sealed)}`
    await this.#transport.data({ method: 'PUT', url, audience: 'notes', bytes: sealed }, attachmentSchema)
  }

  /** Decrypts a file, or the chunks around a range. */
  async open(
    noteId: string,
    { attachmentId, bytes, keyB64u, cipherHash }: AttachedFile,
    range?: { readonly start: number; readonly end: number },
  ): Promise<Uint8Array> {
    const key = bytesOf(keyB64u)
    if (!range) {
      const sealed = await this.bytes(noteId, attachmentId)
      if ((await hashHexAsync(sealed)) !== cipherHash)
        throw unverified('attachment', 'hash_mismatch', 'The attachment was modified')
      return openChunks(sealed, 0, bytes, key)
    }
    const end = Math.min(range.end, bytes)
    if (range.start < 0 || range.start >= end) throw new RangeError('The range is outside the attachment')
    const window = windowOf(range.start, end, bytes)
    const sealed = await this.bytes(noteId, attachmentId, `bytes=${window.start}-${window.end - 1}`)
    if (sealed.length !== window.end - window.start)
      throw unverified('attachment', 'hash_mismatch', 'The attachment was modified')
    const opened = await openChunks(sealed, window.firstChunk, bytes, key)
    const offset = chunkStart(window.firstChunk)
    return opened.slice(range.start - offset, end - offset)
  }

  /** Stored ciphertext, or a range of it. */
  async bytes(noteId: string, attachmentId: string, range?: string): Promise<Uint8Array> {
    const url = `${this.#base()}/${noteId}/attachments/${attachmentId}`
    const headers = range === undefined ? {} : { headers: { range } }
    const response = await this.#transport.send({ method: 'GET', url, audience: 'notes', ...headers })
    return new Uint8Array(await response.arrayBuffer())
  }
}

import { bytesOf, encodeBase64url } from '#protocol/base/base64url'
import { hashHexAsync } from '#protocol/base/hash'
import { attachmentSchema } from '#protocol/notes/api'
import { MAX_ATTACHMENT_BYTES } from '#protocol/notes/notes'
import { readBytes } from '../transport/guarded-body.ts'
import type { OnProgress } from '../transport/progress.ts'
import { randomId } from '../transport/random-id.ts'
import type { Transport } from '../transport/transport.ts'
import { unverified } from '../verification/verification-error.ts'
import {
  AttachmentOpener,
  AttachmentSealer,
  chunkStart,
  openChunks,
  sealedLength,
  windowOf,
} from './attachment-cipher.ts'
import { newDataKey } from './cipher.ts'
import { paddedFileLength } from './padding.ts'
import type { AttachedFile } from './record.ts'

/** The content of a file: whole, such as a `File` of an input, or as it arrives. */
export type FileContent = Uint8Array | Blob | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>

export interface NewFile {
  readonly name: string
  /** Media type; encrypted, like the name. */
  readonly type: string
  /** At most 25 MiB including sixteen bytes per 64 KiB. */
  readonly bytes: FileContent
}

export interface ReadFileOptions {
  /** First byte to read; the beginning by default. */
  readonly start?: number
  /** Ends before this byte; the end of the file by default. */
  readonly end?: number
  /** Told in bytes of ciphertext. */
  readonly onProgress?: OnProgress
}

/** Consecutive bytes of a file, the chunks around them, and where they are in the ciphertext. */
interface Part {
  readonly file: AttachedFile
  readonly start: number
  readonly end: number
  /** Length of the file with its padding. */
  readonly length: number
  readonly window: ReturnType<typeof windowOf>
}

/** The encrypted files of a vault. */
export class NoteFiles {
  readonly #transport: Transport
  readonly #base: () => string

  constructor(transport: Transport, base: () => string) {
    this.#transport = transport
    this.#base = base
  }

  /**
   * Encrypts and uploads a file under a key of its own. Only the ciphertext is kept in memory, because a request says
   * what its body hashes to.
   */
  async add(noteId: string, { name, type, bytes: content }: NewFile, onProgress?: OnProgress): Promise<AttachedFile> {
    const key = newDataKey()
    const sealer = new AttachmentSealer(key)
    for await (const piece of piecesOf(content)) {
      if (sealedLength(sealer.bytes + piece.length) > MAX_ATTACHMENT_BYTES)
        throw new RangeError('An attachment can have at most 25 MiB')
      await sealer.add(piece)
    }
    const { bytes } = sealer
    await sealer.add(new Uint8Array(paddedFileLength(bytes) - bytes))
    const sealed = await sealer.end()
    const attachmentId = randomId()
    const cipherHash = await hashHexAsync(sealed)
    await this.put(noteId, attachmentId, { sealed, cipherHash, onProgress })
    return { attachmentId, name, type, bytes, keyB64u: encodeBase64url(key), cipherHash }
  }

  /** Uploads a ciphertext. */
  async put(
    noteId: string,
    attachmentId: string,
    file: { readonly sealed: Uint8Array; readonly cipherHash: string; readonly onProgress?: OnProgress | undefined },
  ): Promise<void> {
    const { sealed: bytes, cipherHash, onProgress: onSent } = file
    const url = `${this.#base()}/${noteId}/attachments/${attachmentId}?cipherHash=${cipherHash}`
    await this.#transport.data({ method: 'PUT', url, audience: 'notes', bytes, onSent }, attachmentSchema)
  }

  /** Decrypts a file, or the chunks around a range. */
  async open(noteId: string, file: AttachedFile, options: ReadFileOptions = {}): Promise<Uint8Array> {
    const part = partOf(file, options)
    const sealed = await readBytes(await this.#fetched(noteId, part, options))
    const { window, start, end } = part
    const isWhole = sealed.length === window.end - window.start
    // A part can't be hashed alone; each of its chunks is authenticated.
    if (!isWhole || (isAll(part) && (await hashHexAsync(sealed)) !== file.cipherHash)) throw modified()
    const opened = await openChunks(sealed, window.firstChunk, part.length, bytesOf(file.keyB64u))
    const offset = chunkStart(window.firstChunk)
    return opened.slice(start - offset, end - offset)
  }

  /** Decrypts a file as it arrives, chunk by chunk, each authenticated before it comes out. */
  async stream(noteId: string, file: AttachedFile, options: ReadFileOptions = {}): Promise<ReadableStream<Uint8Array>> {
    const part = partOf(file, options)
    const { body } = await this.#fetched(noteId, part, { ...options, isStreamed: true })
    const sealed = (body ?? new Blob([]).stream()) as ReadableStream<Uint8Array>
    return sealed.pipeThrough(opening(part))
  }

  /** Stored ciphertext. */
  async bytes(noteId: string, attachmentId: string): Promise<Uint8Array> {
    const url = `${this.#base()}/${noteId}/attachments/${attachmentId}`
    const response = await this.#transport.send({ method: 'GET', url, audience: 'notes' })
    return readBytes(response)
  }

  #fetched(
    noteId: string,
    part: Part,
    options: ReadFileOptions & { readonly isStreamed?: boolean },
  ): Promise<Response> {
    const { window, file } = part
    const url = `${this.#base()}/${noteId}/attachments/${file.attachmentId}`
    const headers = isAll(part) ? {} : { headers: { range: `bytes=${window.start}-${window.end - 1}` } }
    const { isStreamed = false, onProgress: onReceived } = options
    return this.#transport.send({ method: 'GET', url, audience: 'notes', ...headers, isStreamed, onReceived })
  }
}

function partOf(file: AttachedFile, { start = 0, end = file.bytes }: ReadFileOptions): Part {
  const last = Math.min(end, file.bytes)
  const isEmptyFile = file.bytes === 0 && start === 0
  if (start < 0 || (start >= last && !isEmptyFile)) throw new RangeError('The range is outside the attachment')
  const length = paddedFileLength(file.bytes)
  // A whole file is read with its padding, so that its hash can be compared.
  const until = start === 0 && last === file.bytes ? length : last
  return { file, start, end: last, length, window: windowOf(start, until, length) }
}

function isAll({ length, window }: Part): boolean {
  return window.start === 0 && window.end === sealedLength(length)
}

/** From ciphertext to the bytes of a part. Fails unless it gets exactly what the part needs. */
function opening({ file, start, end, length, window }: Part): TransformStream<Uint8Array, Uint8Array> {
  const opener = new AttachmentOpener(window.firstChunk, length, bytesOf(file.keyB64u))
  let [received, at] = [0, chunkStart(window.firstChunk)]
  const passOn = (chunks: readonly Uint8Array[], controller: TransformStreamDefaultController<Uint8Array>) => {
    for (const chunk of chunks) {
      const wanted = chunk.subarray(Math.max(0, start - at), Math.max(0, end - at))
      if (wanted.length > 0) controller.enqueue(wanted)
      at += chunk.length
    }
  }
  return new TransformStream({
    async transform(piece, controller) {
      received += piece.length
      if (received > window.end - window.start) throw modified()
      passOn(await opener.add(piece), controller)
    },
    async flush(controller) {
      if (received !== window.end - window.start) throw modified()
      passOn(await opener.end(), controller)
    },
  })
}

function modified() {
  return unverified('attachment', 'hash_mismatch', 'The attachment was modified')
}

async function* piecesOf(content: FileContent): AsyncGenerator<Uint8Array> {
  if (content instanceof Uint8Array) yield content
  else if (content instanceof Blob) yield* readAll(content.stream() as ReadableStream<Uint8Array>)
  else if (content instanceof ReadableStream) yield* readAll(content)
  else yield* content
}

/** Not every browser iterates over streams. */
async function* readAll(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    // Does nothing at the end; otherwise the source is told that nobody reads on.
    reader.cancel().catch(() => {})
  }
}

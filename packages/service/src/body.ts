import { concatBytes } from '@svc/protocol/bytes'
import type { ErrorName } from '@svc/protocol/errors'
import { ApiError } from './api-error.ts'

/** Document 1 section 8 leaves the cap open; readings 12: 256 KiB unless a route says otherwise. */
export const DEFAULT_MAX_BODY_BYTES = 256 * 1024

/** Reads a body of at most `maxBytes`, giving up as soon as it grows beyond, or null when it does. */
export async function readBytes({ headers, body }: Request | Response, maxBytes: number): Promise<Uint8Array | null> {
  const declared = Number(headers.get('content-length') ?? 0)
  if (declared > maxBytes) return null
  if (!body) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of piecesOf(body as ReadableStream<Uint8Array>, declared)) {
    length += chunk.length
    if (length > maxBytes) return null
    chunks.push(chunk)
  }
  if (chunks.length === 1 && chunks[0]) return chunks[0]
  return concatBytes(chunks)
}

/** What is taken at once: the runtime hands out 4 KiB unless asked, and each piece costs a turn of the event loop. */
const PIECE_BYTES = 64 * 1024
/** What is made ready on the word of a declared length alone. */
const MAX_PIECE_BYTES = 1024 * 1024

/** As much as is left of what was declared, and a byte in which its end is seen; no more is cleared than is filled. */
function pieceBytes(declared: number, taken: number): number {
  const left = declared - taken
  return left >= 0 && declared > 0 ? Math.min(left + 1, MAX_PIECE_BYTES) : PIECE_BYTES
}

/** The bytes of a stream in large pieces where it is one of bytes, as that of a request is; in its own where not. */
async function* piecesOf(stream: ReadableStream<Uint8Array>, declared: number): AsyncGenerator<Uint8Array, void> {
  const reader = byteReaderOf(stream)
  if (!reader) {
    for await (const piece of stream) yield piece
    return
  }
  try {
    for (let taken = 0; ; ) {
      const size = pieceBytes(declared, taken)
      const { value, done } = await reader.readAtLeast(size, new Uint8Array(size))
      if (value && value.length > 0) yield value
      if (done) return
      taken += value?.length ?? 0
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

function byteReaderOf(stream: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | null {
  try {
    const reader = stream.getReader({ mode: 'byob' })
    if (typeof reader.readAtLeast === 'function') return reader
    reader.releaseLock()
    return null
  } catch {
    return null
  }
}

/** An absent Content-Type counts as JSON (readings 7). */
export function isJson(contentType: string | undefined): boolean {
  return contentType === undefined || /^application\/json\s*(?:;|$)/i.test(contentType)
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/** The JSON value of a body. The parser's own message would quote the input, so it goes no further. */
export function parseJson(bytes: Uint8Array, malformed: ErrorName = 'invalid_request'): unknown {
  try {
    return JSON.parse(decoder.decode(bytes))
  } catch {
    throw new ApiError(malformed, { message: 'body: must be well-formed JSON' })
  }
}

import type { ErrorName } from '@svc/protocol/errors'
import { ApiError } from './api-error.ts'

/** Document 1 section 8 leaves the cap open; readings 12: 256 KiB unless a route says otherwise. */
export const DEFAULT_MAX_BODY_BYTES = 256 * 1024

/** Reads a body of at most `maxBytes`, giving up as soon as it grows beyond, or null when it does. */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array | null> {
  const declared = Number(request.headers.get('content-length') ?? 0)
  if (declared > maxBytes) return null
  if (!request.body) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of request.body as ReadableStream<Uint8Array>) {
    length += chunk.length
    if (length > maxBytes) return null
    chunks.push(chunk)
  }
  if (chunks.length === 1 && chunks[0]) return chunks[0]
  const bytes = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.length
  }
  return bytes
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

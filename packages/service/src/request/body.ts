import { concatBytes } from '@svc/protocol/base/bytes'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { ErrorName } from '@svc/protocol/http/errors'
import { ApiError } from '../answer/api-error.ts'
import { exceeded, type JsonBudget, type JsonMeasure, JsonMeter } from './json-budget.ts'

/** Whether a piece is kept, or dropped like those before it, so that only the length matters, or is the last. */
type Watch = (piece: Uint8Array) => 'keep' | 'drop' | 'stop'

/** Reads a body of at most `maxBytes`; returns null as soon as it is longer or `watch` has seen enough. */
export async function readBytes(
  { headers, body }: Request | Response,
  maxBytes: number,
  watch: Watch = () => 'keep',
): Promise<Uint8Array | null> {
  const declared = Number(headers.get('content-length') ?? 0)
  if (declared > maxBytes) return null
  if (!body) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let length = 0
  let isDropped = false
  for await (const chunk of piecesOf(body as ReadableStream<Uint8Array>, declared)) {
    length += chunk.length
    if (length > maxBytes) return null
    const verdict = isDropped ? 'drop' : watch(chunk)
    if (verdict === 'stop') return null
    if (verdict === 'keep') chunks.push(chunk)
    else isDropped = true
  }
  if (isDropped) return new Uint8Array()
  if (chunks.length === 1 && chunks[0]) return chunks[0]
  return concatBytes(chunks)
}

/** Requested read size: the runtime's default is 4 KiB, and each piece costs a turn of the event loop. */
const PIECE_BYTES = 64 * 1024
/** The most that is allocated because of a declared length alone. */
const MAX_PIECE_BYTES = 256 * 1024
/**
 * After so much, other requests get their turn: while a sender keeps the connection full, the runtime finds the next
 * piece without looking at any other connection.
 */
const BYTES_OF_A_TURN = 256 * 1024

/** The rest of the declared length, plus one byte to detect the end; no more is cleared than is filled. */
function pieceBytes(declared: number, taken: number): number {
  const left = declared - taken
  return left >= 0 && declared > 0 ? Math.min(left + 1, MAX_PIECE_BYTES) : PIECE_BYTES
}

/** Reads a byte stream, as a request has, in large pieces; any other stream in its own. */
async function* piecesOf(stream: ReadableStream<Uint8Array>, declared: number): AsyncGenerator<Uint8Array, void> {
  const reader = byteReaderOf(stream)
  if (!reader) {
    for await (const piece of stream) yield piece
    return
  }
  try {
    let taken = 0
    let turnEndsAt = BYTES_OF_A_TURN
    for (;;) {
      const size = pieceBytes(declared, taken)
      const { value, done } = await reader.readAtLeast(size, new Uint8Array(size))
      if (value && value.length > 0) yield value
      if (done) return
      taken += value?.length ?? 0
      if (taken < turnEndsAt) continue
      await scheduler.wait(0)
      turnEndsAt = taken + BYTES_OF_A_TURN
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

/** An absent Content-Type counts as JSON. */
export function isJson(contentType: string | undefined): boolean {
  return contentType === undefined || /^application\/json\s*(?:;|$)/i.test(contentType)
}

const UTF_8 = /^(?:utf-?8|us-ascii|ascii)$/i

/** Whether a Content-Type names no charset, or one that reads as UTF-8. */
export function isUtf8(contentType = ''): boolean {
  const [, quoted, plain] = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;]*))/i.exec(contentType) ?? []
  const charset = quoted ?? plain
  return charset === undefined || UTF_8.test(charset)
}

/** Nothing is decompressed: a small body could become a large one. */
export function isUnencoded(contentEncoding = ''): boolean {
  return /^\s*(?:identity\s*)?$/i.test(contentEncoding)
}

/** Why a body was not read to its end: its length, or what it holds. */
export type BodyExcess = 'length' | keyof JsonMeasure

/** The body of a request, read once, when it is first asked for. */
export type ReadBody = () => Promise<Result<Uint8Array, BodyExcess>>

/**
 * Reads a body that holds what its budget allows. Reading stops with the piece that exceeds it; a body that is mostly
 * blank is read on without being kept, since it may be too long as well.
 */
export async function readMeasured(
  request: Request | Response,
  maxBytes: number,
  budget: JsonBudget,
): Promise<Result<Uint8Array, BodyExcess>> {
  const meter = new JsonMeter()
  const bytes = await readBytes(request, maxBytes, (piece) => {
    meter.take(piece)
    const excess = exceeded(meter.measure, budget)
    if (excess === null) return 'keep'
    return excess === 'loose' ? 'drop' : 'stop'
  })
  const excess = exceeded(meter.measure, budget)
  if (bytes && excess === null) return ok(bytes)
  return err(bytes === null && excess === 'loose' ? 'length' : (excess ?? 'length'))
}

/** The runtime takes twelve times as much to decode what is not ASCII, so it decodes a large body piece by piece. */
const DECODED_BYTES = 64 * 1024

const utf8 = () => new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
const whole = utf8()

/** Throws if the bytes are not UTF-8. */
function decode(bytes: Uint8Array): string {
  if (bytes.length <= DECODED_BYTES) return whole.decode(bytes)
  const decoder = utf8()
  let text = ''
  for (let at = 0; at < bytes.length; at += DECODED_BYTES) {
    text += decoder.decode(bytes.subarray(at, at + DECODED_BYTES), { stream: true })
  }
  return text + decoder.decode()
}

/** The JSON value of a body. The parser's own message would quote the input, so it is not passed on. */
export function parseJson(bytes: Uint8Array, malformed: ErrorName = 'invalid_request'): unknown {
  try {
    return JSON.parse(decode(bytes))
  } catch {
    throw new ApiError(malformed, { message: 'body: must be well-formed JSON' })
  }
}

import { utf8Of } from '#protocol/base/utf8'
import { checkCall, type Members } from '../arguments/check.ts'
import { shownTextOf } from '../text/utf8.ts'
import { unverified } from '../verification/verification-error.ts'
import type { OnProgress } from './progress.ts'
import { Deadline } from './sending/deadline.ts'

/**
 * The largest answer that is read as a whole. The largest honest one, a page of an export with 50 notes of 704 KiB each in
 * base64url, has 47 MiB.
 */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024

/** How much of a body is read, and how long that may take. */
export interface BodyLimits {
  /** More than this is a `VerificationError`. Default `MAX_ANSWER_BYTES`; Infinity for what the caller reads piece by piece. */
  readonly mostBytes?: number
  /** How long to wait for anything, ms; what arrives adds a second per 16 kB. Default 60,000. */
  readonly timeoutMs?: number
}

const LIMITS: Members<BodyLimits> = { mostBytes: 0, timeoutMs: 0 }

interface Guard {
  readonly deadline: Deadline
  readonly mostBytes: number
  readonly onReceived?: OnProgress | undefined
}

/** The response with a body that ends with the deadline and at its largest size, and that counts what arrives. */
export function guarded(response: Response, { deadline, mostBytes, onReceived }: Guard): Response {
  if (response.body === null) {
    deadline.end()
    return response
  }
  const reader = response.body.getReader() as ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>
  let count = 0
  const total = lengthOf(response)
  onReceived?.({ done: count, total })
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        try {
          const { done, value } = await deadline.race(reader.read())
          if (done) {
            deadline.end()
            controller.close()
            return
          }
          deadline.arrived(value.length)
          count += value.length
          if (count > mostBytes) throw tooLarge(mostBytes)
          onReceived?.({ done: count, total })
          controller.enqueue(value)
        } catch (error) {
          deadline.end()
          controller.error(error)
          reader.cancel(error).catch(() => {})
        }
      },
      cancel(reason) {
        deadline.end()
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
  const { status, statusText, headers } = response
  return new Response(body, { status, statusText, headers })
}

/** The response with its whole body received, so that reading it cannot fail later. */
export async function received(response: Response): Promise<Response> {
  if (response.body === null) return response
  const { status, statusText, headers } = response
  return new Response(await response.arrayBuffer(), { status, statusText, headers })
}

/** The whole body of an answer: the one reader of bodies. It ends at a size and at a time, whatever the other side sends. */
export async function readBytes(response: Response, limits: BodyLimits = {}): Promise<Uint8Array<ArrayBuffer>> {
  const { mostBytes = MAX_ANSWER_BYTES, timeoutMs = 60_000 } = limits
  const deadline = new Deadline(timeoutMs, [])
  return new Uint8Array(await guarded(response, { deadline, mostBytes }).arrayBuffer())
}

/** The same as text, for showing: what is not UTF-8 becomes U+FFFD. */
export async function readText(response: Response, limits?: BodyLimits): Promise<string> {
  checkCall('readText', [response, limits], ['response', ['limits?', LIMITS]])
  return shownTextOf(await readBytes(response, limits))
}

/** The JSON of an answer, in whatever form; undefined if it has none. */
export async function readAnyJson(response: Response, limits?: BodyLimits): Promise<unknown> {
  checkCall('readAnyJson', [response, limits], ['response', ['limits?', LIMITS]])
  const text = utf8Of(await readBytes(response, limits))
  if (text === null) return undefined
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** The JSON of an answer that must be JSON. */
export async function readJson(response: Response, address: string): Promise<unknown> {
  const body = await readAnyJson(response)
  if (body !== undefined) return body
  const type = response.headers.get('content-type')?.split(';')[0] ?? 'no type'
  const message = `${address} answered ${response.status} without JSON (${type}): is it the address of the service?`
  throw unverified('answer', 'malformed', message, { where: { member: '' } })
}

function tooLarge(mostBytes: number) {
  return unverified('answer', 'too_large', `The answer has more than ${mostBytes} bytes`)
}

/** Of the body as it is read: what a header says of a compressed one is something else. */
function lengthOf({ headers }: Response): number | null {
  const declared = headers.get('content-length')
  return declared === null || headers.has('content-encoding') ? null : Number(declared)
}

/**
 * Sending a body and telling how much of it has gone out, which `fetch` does not tell. Loaded with the first such call.
 *
 * @module
 */
import type { FetchInit } from '../fetch.ts'

type Upload = FetchInit & { readonly body: Uint8Array<ArrayBuffer> }
type OnSent = (bytes: number) => void

const PIECE_BYTES = 64 * 1024

/** What this file needs of the globals that only some runtimes have. */
interface Runtime {
  readonly XMLHttpRequest?: new () => Xhr
  /** Of workerd: a stream that declares its length. */
  readonly FixedLengthStream?: new (
    length: number,
  ) => TransformStream<Uint8Array, Uint8Array>
  readonly Bun?: unknown
  readonly Deno?: unknown
  readonly process?: { readonly versions?: { readonly node?: string } }
}

interface Xhr {
  responseType: string
  readonly status: number
  readonly statusText: string
  readonly response: ArrayBuffer | null
  readonly responseURL: string
  readonly upload: Pick<Xhr, 'addEventListener'>
  addEventListener(name: 'progress' | 'load' | 'error' | 'abort', listener: (event: { loaded: number }) => void): void
  open(method: string, url: string): void
  setRequestHeader(name: string, value: string): void
  getAllResponseHeaders(): string
  send(body: Uint8Array<ArrayBuffer>): void
  abort(): void
}

/**
 * Sends with `XMLHttpRequest` in browsers and with a body that is read piece by piece in workerd and Node.js. Elsewhere,
 * only the end is told.
 */
export async function sendCounted(url: string, init: Upload, onSent: OnSent): Promise<Response> {
  const runtime = globalThis as Runtime
  onSent(0)
  if (runtime.XMLHttpRequest) return sendByXhr(runtime.XMLHttpRequest, url, init, onSent)
  const response = await (runtime.FixedLengthStream || isNode(runtime)
    ? fetch(url, withPieces(runtime, init, onSent))
    : fetch(url, init))
  onSent(init.body.length)
  return response
}

function isNode({ Bun, Deno, process }: Runtime): boolean {
  return Bun === undefined && Deno === undefined && process?.versions?.node !== undefined
}

/** With its length declared, which a service needs that streams the body to its store. */
function withPieces({ FixedLengthStream }: Runtime, init: Upload, onSent: OnSent): RequestInit {
  const { body, headers } = init
  const pieces = piecesOf(body, onSent)
  if (FixedLengthStream) return { ...init, body: pieces.pipeThrough(new FixedLengthStream(body.length)) }
  const half: RequestInit & { duplex: 'half' } = {
    ...init,
    headers: { ...headers, 'content-length': String(body.length) },
    body: pieces,
    duplex: 'half',
  }
  return half
}

/** Counts a piece when the next one is asked for. */
function piecesOf(body: Uint8Array<ArrayBuffer>, onSent: OnSent): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0
  return new ReadableStream(
    {
      pull(controller) {
        if (at > 0) onSent(at)
        if (at === body.length) return controller.close()
        const piece = body.subarray(at, at + PIECE_BYTES)
        at += piece.length
        controller.enqueue(piece)
      },
    },
    { highWaterMark: 0 },
  )
}

function sendByXhr(Request: new () => Xhr, url: string, init: Upload, onSent: OnSent): Promise<Response> {
  const request = new Request()
  const { body, method, headers, signal } = init
  const stop = () => request.abort()
  const answered = new Promise<Response>((resolve, reject) => {
    request.open(method, url)
    request.responseType = 'arraybuffer'
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.upload.addEventListener('progress', ({ loaded }) => onSent(Math.min(loaded, body.length)))
    request.addEventListener('error', () => reject(new TypeError('The request failed')))
    request.addEventListener('abort', () => reject(signal.reason as Error))
    request.addEventListener('load', () => {
      onSent(body.length)
      // It follows redirects by itself, and the assertion is for one address.
      if (request.responseURL === url) resolve(responseOf(request))
      else reject(new TypeError('The request was redirected'))
    })
    signal.addEventListener('abort', stop, { once: true })
    request.send(body)
  })
  return answered.finally(() => signal.removeEventListener('abort', stop))
}

function responseOf(request: Xhr): Response {
  const { status, statusText, response } = request
  const lines = request.getAllResponseHeaders().trim().split(/\r?\n/)
  const headers = lines.map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()] as [string, string]
  })
  const hasBody = ![204, 205, 304].includes(status)
  return new Response(hasBody ? response : null, { status, statusText, headers })
}

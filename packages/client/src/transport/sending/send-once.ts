import { VerificationError } from '../../verification/verification-error.ts'
import type { Call } from '../call.ts'
import type { Fetch, FetchInit } from '../fetch.ts'
import { guarded, MAX_ANSWER_BYTES, received } from '../guarded-body.ts'
import { Deadline } from './deadline.ts'

/** Added to the wait for an answer, per byte sent: 64 kB/s. */
const SENDING_MS_PER_BYTE = 1 / 64

export interface ToAssert extends Pick<Call, 'method' | 'url'> {
  readonly body: Uint8Array | undefined
}

/** How a transport sends. */
export interface Sender {
  readonly options: {
    readonly fetch?: Fetch
    readonly headers?: Readonly<Record<string, string>>
    readonly origin?: string
    readonly signal?: AbortSignal
    readonly timeoutMs?: number
  }
  readonly assertionFor: (request: ToAssert, audience: string) => Promise<string>
}

/** The connection failed or broke, or the answer did not come in time. */
export class NoAnswer extends Error {}

/** Sends a request once, and returns the answer, whatever its status. Throws `NoAnswer` if there is none in time. */
export async function sendOnce(call: Call, sender: Sender): Promise<Response> {
  const { href } = new URL(call.url)
  const { init, body } = await initOf(call, href, sender)
  const { timeoutMs = 60_000, signal } = sender.options
  const deadline = new Deadline(timeoutMs, [signal, call.signal], (body?.length ?? 0) * SENDING_MS_PER_BYTE)
  try {
    deadline.signal.throwIfAborted()
    const answer = await deadline.race(sent(href, { ...init, signal: deadline.signal }, { call, deadline, sender }))
    deadline.restart()
    const isStreamed = call.isStreamed === true && answer.ok
    const mostBytes = call.mostBytes ?? (isStreamed ? Number.POSITIVE_INFINITY : MAX_ANSWER_BYTES)
    const response = guarded(answer, { deadline, mostBytes, onReceived: call.onReceived })
    return isStreamed ? response : await received(response)
  } catch (error) {
    deadline.end()
    if ([signal, call.signal].some((one) => one?.aborted === true)) throw error
    if (error instanceof VerificationError) throw error
    throw new NoAnswer('no answer', { cause: error })
  }
}

async function sent(
  url: string,
  init: FetchInit,
  { call: { onSent }, deadline, sender }: { readonly call: Call; readonly deadline: Deadline; readonly sender: Sender },
): Promise<Response> {
  const { body } = init
  const { fetch: custom } = sender.options
  // A method of nothing: browsers refuse to call `fetch` as a method of another object.
  const send = custom ?? fetch
  if (!onSent || !body) return send(url, init)
  const total = body.length
  const tell = (done: number) => {
    deadline.restart()
    onSent({ done, total })
  }
  if (!custom) return (await import('./upload.ts')).sendCounted(url, { ...init, body }, tell)
  tell(0)
  const response = await send(url, init)
  tell(total)
  return response
}

/** By hand at redirects: an assertion is for one address, and `fetch` makes no new one when it follows. */
async function initOf(
  call: Call,
  url: string,
  { options, assertionFor }: Sender,
): Promise<{ init: Omit<FetchInit, 'signal'>; body: Uint8Array | undefined }> {
  const json = call.body === undefined ? undefined : new TextEncoder().encode(JSON.stringify(call.body))
  const body = json ?? (call.bytes && new Uint8Array(call.bytes))
  const headers = new Headers(call.isForeign === true ? {} : options.headers)
  if (options.origin !== undefined) headers.set('origin', options.origin)
  for (const [name, value] of Object.entries(call.headers ?? {})) headers.set(name, value)
  if (body) headers.set('content-type', json ? 'application/json' : (call.contentType ?? 'application/octet-stream'))
  if (call.accept !== undefined) headers.set('accept', call.accept)
  if (call.audience !== undefined) {
    headers.set('authorization', await assertionFor({ method: call.method, url, body }, call.audience))
  }
  const init = {
    method: call.method,
    headers: Object.fromEntries(headers),
    redirect: 'manual',
    ...(body && { body }),
  }
  return { init: init as Omit<FetchInit, 'signal'>, body }
}

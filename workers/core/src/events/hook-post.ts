import { HOOK_TIMEOUT_SECONDS, type HookFailure, MAX_HOOK_ANSWER } from '@svc/protocol/events/hooks'

/** A message to the address of a hook. A repeated one has the same `id`. */
export interface HookMessage {
  readonly url: string
  readonly id: string
  readonly body: unknown
}

export type NotPosted = Extract<HookFailure, 'unreachable' | 'timeout'>

/**
 * What `read` makes of the answer, all within the time-out. Follows no redirect: the address that was proved is the only
 * one that is told anything.
 */
export async function postTo<T>(
  { url, id, body }: HookMessage,
  now: number,
  read: (response: Response) => Promise<T>,
): Promise<T | NotPosted> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), HOOK_TIMEOUT_SECONDS * 1000)
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'svc-event-hooks/1',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(now / 1000)),
      },
      body: JSON.stringify(body),
      signal: late.signal,
    })
    return await read(response)
  } catch {
    return late.signal.aborted ? 'timeout' : 'unreachable'
  } finally {
    clearTimeout(timer)
  }
}

/** The JSON of a short answer; undefined for anything else. */
export async function shortJson({ body }: Response): Promise<unknown> {
  if (!body) return undefined
  const decoder = new TextDecoder()
  let text = ''
  let length = 0
  try {
    for await (const chunk of body as ReadableStream<Uint8Array>) {
      length += chunk.length
      // Leaving the loop cancels the rest.
      if (length > MAX_HOOK_ANSWER) return undefined
      text += decoder.decode(chunk, { stream: true })
    }
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

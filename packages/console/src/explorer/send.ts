import type { Asserter } from '@svc/client'
import type { Answer } from './answer.ts'
import type { Prepared } from './request.ts'
import { isSocket, openSocket } from './socket.ts'

/** Sends a request, signed for this audience if somebody signs. */
export async function send(prepared: Prepared, audience: string | null, asserter: Asserter | null): Promise<Answer> {
  if (isSocket(prepared)) return openSocket(prepared)
  const { method, url, headers, body } = prepared
  const begun = Date.now()
  const assertion =
    audience === null || asserter === null
      ? null
      : await asserter.assertion({ audience, method, url, body: body ?? undefined, now: begun })
  const authorization = assertion === null ? {} : { authorization: assertion }
  const response = await fetch(url, { method, headers: { ...headers, ...authorization }, body })
  return {
    status: response.status,
    statusText: response.statusText,
    tookMs: Date.now() - begun,
    headers: [...response.headers],
    body: readable(await response.text()),
    assertion,
  }
}

function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

import type { Fetch } from '@svc/client'
import { send } from '@svc/platform/callers/send'

const WITHOUT_BODY = [204, 304]

/**
 * For clients of the SDK. They send as all other load is sent, so that both sides of a comparison have the same HTTP
 * client; each few requests come from another address, so that no limit of an address is met.
 */
export const freshFetch: Fetch = async (url, { method, headers, body, signal }) => {
  const answer = await send({ method, url, headers, ...(body ? { body } : {}) }, { signal })
  const fields = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)])
  const content = WITHOUT_BODY.includes(answer.status) ? null : new Uint8Array(answer.body)
  return new Response(content, { status: answer.status, headers: fields })
}

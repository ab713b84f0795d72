import type { Fetch } from '../src/transport/fetch.ts'

/** A `fetch` that answers requests. */
export function fetchOf(answer: (request: Request) => Promise<Response>): Fetch {
  return (url, init) => answer(new Request(url, init))
}

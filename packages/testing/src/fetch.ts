import type { Fetch } from '@svc/client'

/** Sends what the SDK sends to something that takes requests, such as a Worker under test. */
export function fetchOf(send: (request: Request) => Promise<Response>): Fetch {
  return (url, init) => send(new Request(url, init))
}

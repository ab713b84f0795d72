import type { LoadRequest } from '@svc/platform/callers/send'

/** A signed request that is not sent yet. */
export interface Planned {
  readonly request: LoadRequest
  /** The expected status; any other counts as an error. */
  readonly status: number
  /** Requests of one lane are sent in sequence, and none after an error. */
  readonly lane?: string
  /** Called once per sent request, with the body of the expected response, or null after an error. */
  readonly settle?: (body: unknown) => void
}

export function signedRead(request: LoadRequest): Planned {
  return { request, status: 200 }
}

import type { LoadRequest } from '../measure/load.ts'

/** A request that is signed and not sent yet. */
export interface Planned {
  readonly request: LoadRequest
  /** The status of the only answer that counts as one. */
  readonly status: number
  /** Requests of one lane are sent one after the other, and none after one that had no such answer. */
  readonly lane?: string
  /** Told once for each request that was sent: the body of its answer, or null when there was no such answer. */
  readonly settle?: (body: unknown) => void
}

export function signedRead(request: LoadRequest): Planned {
  return { request, status: 200 }
}

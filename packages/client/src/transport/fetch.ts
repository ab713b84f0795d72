/** What a request is sent with: a subset of every runtime's `RequestInit`. */
export interface FetchInit {
  readonly method: string
  /** Names in lower case. A plain object, so that a wrapper can spread it. */
  readonly headers: Record<string, string>
  readonly body?: Uint8Array<ArrayBuffer>
  readonly redirect: 'manual'
  readonly signal: AbortSignal
}

/** The runtime's `fetch`, or a wrapper around it. */
export type Fetch = (url: string, init: FetchInit) => Promise<Response>

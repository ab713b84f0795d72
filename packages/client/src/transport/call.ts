import type { Members } from '../arguments/check.ts'
import type { OnProgress } from './progress.ts'

/** One request of the SDK. */
export interface Call {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  readonly url: string
  /** Makes and sends an assertion for this audience. */
  readonly audience?: string
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent unchanged, as `contentType`. */
  readonly bytes?: Uint8Array
  /** Of `bytes`; default `application/octet-stream`. */
  readonly contentType?: string
  readonly accept?: string
  /** Additional headers, such as the token of an offer. */
  readonly headers?: Readonly<Record<string, string>>
  /** Ends this call. */
  readonly signal?: AbortSignal | undefined
  /** A public read that a mirror can answer while the service is down. Its caller verifies the answer. */
  readonly isMirrored?: boolean
  /** Goes to somebody else than the deployment, without the headers that are meant for it. */
  readonly isForeign?: boolean
  /** Does not follow a service that has moved. */
  readonly isUnmoved?: boolean
  /** Leaves the body of the answer to the caller to read. Otherwise it is whole when the call returns. */
  readonly isStreamed?: boolean
  /** The most bytes that the answer's body may have: by default 64 MiB, for a streamed one any number. */
  readonly mostBytes?: number | undefined
  /** Told how many bytes of the answer's body have arrived, and how many there are. */
  readonly onReceived?: OnProgress | undefined
  /** Told how many bytes of the body have been sent. */
  readonly onSent?: OnProgress | undefined
}

export const CALL: Members<Call> = {
  method: 1,
  url: 1,
  audience: 0,
  body: 0,
  bytes: 0,
  contentType: 0,
  accept: 0,
  headers: 0,
  signal: 0,
  isMirrored: 0,
  isForeign: 0,
  isUnmoved: 0,
  isStreamed: 0,
  mostBytes: 0,
  onReceived: 0,
  onSent: 0,
}

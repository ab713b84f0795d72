import type { Members } from '../arguments/check.ts'
import { checkMirrors, type MirrorOptions } from '../mirrors/mirror-options.ts'
import { ConfigurationError } from './configuration-error.ts'
import type { Fetch } from './fetch.ts'
import type { OnPending } from './pending-watch.ts'
import type { RetryOptions, Sleep } from './retries.ts'

export interface TransportOptions {
  /** The deployment that statements are signed for; its discovery document names it. */
  readonly realm: string
  /** Further realms whose statements are accepted, such as one that the deployment had before it moved. */
  readonly acceptedRealms?: readonly string[]
  /** Sends requests: the runtime's `fetch` by default, or a wrapper `(url, init) => fetch(url, init)`. */
  readonly fetch?: Fetch
  /** Epoch milliseconds; defaults to the runtime's clock. */
  readonly now?: () => number
  /** Sent as `Origin`, which some services require even from programs. Browsers send their own. */
  readonly origin?: string
  /** Called when a response shows a pending rotation or deactivation of this identity, or a change of standing. */
  readonly onPending?: OnPending
  /** Added to every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** How requests are sent again that a service takes once; false for never. */
  readonly retries?: RetryOptions | false
  /** Mirrors to read from while a service is down. Without them, nothing but the services is asked. */
  readonly mirrors?: MirrorOptions
  /** Ends every call; they throw the reason of the signal. */
  readonly signal?: AbortSignal
  /**
   * How long to wait without receiving anything, in ms; then the attempt ends with a `ConnectionError`. Default 60,000;
   * Infinity for as long as the runtime does. What is sent adds a second per 64 kB. An answer that comes in drops does not
   * extend it: it has this long in all, and a second for each 16 kB.
   */
  readonly timeoutMs?: number
  /** Origin of the documentation, for the address in errors. A client of `connect` knows it. */
  readonly docs?: string
  /** Waits between two attempts; for tests. */
  readonly sleep?: Sleep
  /** At least 0 and less than 1, for the length of pauses; for tests. */
  readonly random?: () => number
}

/** What a transport takes of the options of a client. */
export const TRANSPORT_OPTIONS: Members<TransportOptions> = {
  realm: 1,
  acceptedRealms: 0,
  fetch: 0,
  now: 0,
  origin: 0,
  onPending: 0,
  headers: 0,
  retries: 0,
  mirrors: 0,
  signal: 0,
  timeoutMs: 0,
  docs: 0,
  sleep: 0,
  random: 0,
}

/** The options, if they are possible. Throws a `ConfigurationError` otherwise. */
export function checkedOptions(options: TransportOptions): TransportOptions {
  const { timeoutMs = 1, mirrors } = options
  if (mirrors) checkMirrors(mirrors)
  if (timeoutMs > 0) return options
  throw new ConfigurationError('timeoutMs', '`timeoutMs` must be a positive number, or Infinity for no limit')
}

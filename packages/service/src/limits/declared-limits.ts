/**
 * The limits that an operation declares.
 *
 * @module
 */

/**
 * What a limit protects. Tiers and limits of routes are counted per location of the network, so that a caller who sends
 * through many locations has many times as much: by type, they protect nothing but storage and work.
 */
export type Protected = 'guess' | 'money' | 'mail' | Spared
export type Spared = 'storage' | 'work'

/** At most `limit` requests in 60 seconds for an address, per location. Routes that share a counter share the limit. */
export interface RouteLimit {
  readonly counter: string
  readonly limit: number
  readonly protects: Spared
  /** Counts every request under this path, such as `/api/pair/`: whatever its method, and paths without a route too. */
  readonly under?: string
}

/** At most `limit` requests in any `seconds`, exactly, from all locations. Routes that share a counter share the limit. */
export interface Window {
  readonly counter: string
  readonly limit: number
  readonly seconds: number
  readonly protects: Protected
}

/** One limit per address for callers without a valid assertion, another per DID for callers with one. */
export interface CallerTiers {
  /** Routes that share a counter share the limits. */
  readonly counter: string
  readonly anonymous: number
  readonly authenticated: number
  /** Addresses are counted per location, identities exactly. */
  readonly protects: Spared
}

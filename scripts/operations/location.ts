/**
 * Where a deployment's data is kept. Cloudflare fixes it when a database, a bucket or a Durable Object is created, so it
 * is decided before the first `scripts/provision`.
 *
 * @module
 */

export const JURISDICTIONS = ['none', 'eu', 'fedramp'] as const
const HINTS = ['', 'wnam', 'enam', 'weur', 'eeur', 'apac', 'oc'] as const
const OBJECT_HINTS = ['', 'wnam', 'enam', 'sam', 'weur', 'eeur', 'apac', 'oc', 'afr', 'me'] as const

export interface Location {
  /** A guarantee, for D1, R2 and Durable Objects. KV, Vectorize and the Workers themselves have none. */
  readonly jurisdiction: (typeof JURISDICTIONS)[number]
  /** A wish, for D1 and R2. */
  readonly locationHint: (typeof HINTS)[number]
  /** A wish, for Durable Objects; empty to create each near its first caller. */
  readonly objectHint: (typeof OBJECT_HINTS)[number]
  /** Of databases with lists that anybody reads (`replicationOf`): `auto` for copies in other regions. Can be changed. */
  readonly readReplication: 'auto' | 'disabled'
}

export const ANYWHERE: Location = {
  jurisdiction: 'none',
  locationHint: '',
  objectHint: '',
  readReplication: 'auto',
}

/**
 * By the committed name. Only a query in a session of D1 is answered by a copy, and only the lists of anchors have one: any
 * other read may follow a write of the same caller.
 */
const REPLICATED = new Set(['svc-core'])

/** How a database should be replicated. */
export function replicationOf(committedName: string, { readReplication }: Location): Location['readReplication'] {
  return REPLICATED.has(committedName) ? readReplication : 'disabled'
}

/** What is wrong with a location as written, or null. */
export function locationFault(location: Location): string | null {
  const { jurisdiction, locationHint, objectHint, readReplication } = location
  if (!JURISDICTIONS.includes(jurisdiction)) return `jurisdiction must be one of ${JURISDICTIONS.join(', ')}`
  if (!HINTS.includes(locationHint)) return `locationHint must be empty or one of ${HINTS.slice(1).join(', ')}`
  if (!OBJECT_HINTS.includes(objectHint))
    return `objectHint must be empty or one of ${OBJECT_HINTS.slice(1).join(', ')}`
  if (jurisdiction !== 'none' && locationHint !== '') return 'a jurisdiction leaves no choice of locationHint'
  if (jurisdiction !== 'none' && objectHint !== '') return 'a jurisdiction leaves no choice of objectHint'
  if (readReplication !== 'auto' && readReplication !== 'disabled') return 'readReplication must be auto or disabled'
  return null
}

/** Members of the request that creates a D1 database. */
export function databaseLocation({ jurisdiction, locationHint }: Location) {
  if (jurisdiction !== 'none') return { jurisdiction }
  return locationHint === '' ? {} : { primary_location_hint: locationHint }
}

/** Members of the request that creates an R2 bucket. Its jurisdiction is a header of every request about it. */
export function bucketLocation({ locationHint }: Location) {
  return locationHint === '' ? {} : { locationHint }
}

export function bucketHeaders({ jurisdiction }: Pick<Location, 'jurisdiction'>): Readonly<Record<string, string>> {
  return jurisdiction === 'none' ? {} : { 'cf-r2-jurisdiction': jurisdiction }
}

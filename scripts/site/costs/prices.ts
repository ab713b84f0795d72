/** What Cloudflare bills, in units of an operation. */
export const RESOURCES = [
  'requests',
  'cpuMilliseconds',
  'objectCalls',
  'rowsRead',
  'rowsWritten',
  'bucketWrites',
  'bucketReads',
  'cacheReads',
  'cacheWrites',
  'queriedDimensions',
  'logLines',
] as const
export type Resource = (typeof RESOURCES)[number]
export type Counts = Readonly<Partial<Record<Resource, number>>>

interface Price {
  /** US dollars for a million. */
  readonly perMillion: number
  readonly what: string
  /** The page below developers.cloudflare.com. */
  readonly page: string
}

/** When the prices were compared with copies of Cloudflare's pages. */
export const PRICES_OF = '2026-11-26'

/** List prices beyond what the paid plan includes. */
export const PRICES: Readonly<Record<Resource, Price>> = {
  requests: { perMillion: 0.3, what: 'requests from outside', page: 'workers/platform/pricing' },
  cpuMilliseconds: { perMillion: 0.02, what: 'CPU milliseconds', page: 'workers/platform/pricing' },
  // With 5 ms of an object's 128 MB at 12.50 dollars per million GB-seconds: 0.0078 more for each million calls.
  objectCalls: {
    perMillion: 0.15 + 0.005 * 0.125 * 12.5,
    what: 'calls of objects, and their alarms, at 5 ms each',
    page: 'durable-objects/platform/pricing',
  },
  rowsRead: { perMillion: 0.001, what: 'SQLite rows read', page: 'durable-objects/platform/pricing' },
  rowsWritten: { perMillion: 1, what: 'SQLite rows written', page: 'durable-objects/platform/pricing' },
  bucketWrites: { perMillion: 4.5, what: 'R2 class A operations', page: 'r2/pricing' },
  bucketReads: { perMillion: 0.36, what: 'R2 class B operations', page: 'r2/pricing' },
  cacheReads: { perMillion: 0.5, what: 'KV reads', page: 'kv/platform/pricing' },
  cacheWrites: { perMillion: 5, what: 'KV writes and deletions', page: 'kv/platform/pricing' },
  queriedDimensions: {
    perMillion: 0.01,
    what: 'Vectorize dimensions queried',
    page: 'vectorize/platform/pricing',
  },
  logLines: { perMillion: 0.6, what: 'Workers Logs events', page: 'workers/observability/logs/workers-logs' },
}

/** US dollars for a million operations that use so much each. */
export function costPerMillion(counts: Counts): number {
  return RESOURCES.reduce((sum, resource) => sum + (counts[resource] ?? 0) * PRICES[resource].perMillion, 0)
}

/**
 * Rows of metrics from where they are stored: the file of a local start, or Analytics Engine.
 *
 * @module
 */
import type { StoredRow } from '@svc/platform/local/metrics'
import { SetupError } from '@svc/platform/workspace'
import { BLOBS, DOUBLES, rowOf } from '@svc/service/metric-rows'
import type { Counted } from './alerts.ts'
import { OBJECTIVES } from './objectives.ts'

const LIMITS = new Map(
  OBJECTIVES.flatMap(({ operations, p99Ms }) =>
    Object.entries(operations).flatMap(([service, names]) =>
      names.map((name): [string, number] => [`${service} ${name}`, p99Ms]),
    ),
  ),
)

/** Lines of another layout are left out. */
export function countedRows(stored: readonly StoredRow[]): Counted[] {
  return stored.flatMap(({ timestamp, blobs, doubles }) => {
    const row = rowOf(blobs, doubles)
    if (!row) return []
    const { kind, service, name, outcome = '', value, detail = 0 } = row
    const limit = kind === 'request' ? LIMITS.get(`${service} ${name}`) : undefined
    const slow = limit !== undefined && value > limit ? 1 : 0
    return [{ at: timestamp, kind, service, name, outcome, count: 1, slow, value, detail }]
  })
}

const blob = (name: (typeof BLOBS)[number]) => `blob${BLOBS.indexOf(name) + 1}`
const double = (name: (typeof DOUBLES)[number]) => `double${DOUBLES.indexOf(name) + 1}`

/** Rows of the last hours by minute. Slow requests are counted there, because a percentile of percentiles is none. */
export function countingQuery(dataset: string, hours: number): string {
  const limits = OBJECTIVES.flatMap(({ operations, p99Ms }) =>
    Object.entries(operations).map(([service, names]) => {
      const ids = names.map((name) => `'${name}'`).join(', ')
      return `(${blob('service')} = '${service}' AND ${blob('name')} IN (${ids}) AND ${double('value')} > ${p99Ms})`
    }),
  )
  return `SELECT intDiv(toUInt32(timestamp), 60) * 60 AS minute,
  ${blob('kind')} AS kind, ${blob('service')} AS service, ${blob('name')} AS name, ${blob('outcome')} AS outcome,
  SUM(_sample_interval * ${double('count')}) AS count,
  SUM(if(${blob('kind')} = 'request' AND (${limits.join(' OR ')}), _sample_interval, 0)) AS slow,
  MAX(${double('value')}) AS value, MAX(${double('detail')}) AS detail
FROM ${dataset}
WHERE timestamp > NOW() - INTERVAL '${hours}' HOUR
GROUP BY minute, kind, service, name, outcome
ORDER BY minute
FORMAT JSON`
}

export interface AnalyticsAccess {
  readonly accountId: string
  readonly token: string
  readonly dataset: string
  readonly hours: number
  readonly baseUrl?: string | undefined
}

const TIMEOUT_MS = 30_000

/** Asks the SQL API. A token needs the permission "Account Analytics: Read" only. */
export async function analyticsRows({
  accountId,
  token,
  dataset,
  hours,
  baseUrl = 'https://api.cloudflare.com/client/v4',
}: AnalyticsAccess): Promise<Counted[]> {
  const response = await fetch(`${baseUrl}/accounts/${accountId}/analytics_engine/sql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: countingQuery(dataset, hours),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: Error) => {
    throw new SetupError(`Analytics Engine cannot be reached: ${error.name}`)
  })
  if (!response.ok) throw new SetupError(`Analytics Engine answered ${response.status}`)
  const { data } = (await response.json()) as { data?: readonly Record<string, unknown>[] }
  if (!Array.isArray(data)) throw new SetupError('Analytics Engine answered without data')
  return data.map(countedOf)
}

/** Numbers of 64 bits arrive as strings. */
function countedOf(row: Readonly<Record<string, unknown>>): Counted {
  const text = (name: string) => {
    const value = row[name]
    return typeof value === 'string' ? value : ''
  }
  const number = (name: string) => {
    const value = Number(row[name])
    if (!Number.isFinite(value)) throw new SetupError(`Analytics Engine answered ${name} that is not a number`)
    return value
  }
  return {
    at: number('minute') * 1000,
    kind: text('kind'),
    service: text('service'),
    name: text('name'),
    outcome: text('outcome'),
    count: number('count'),
    slow: number('slow'),
    value: number('value'),
    detail: number('detail'),
  }
}

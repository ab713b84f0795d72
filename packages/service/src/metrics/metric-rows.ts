/**
 * The rows that services write to Analytics Engine, one layout for all of them. Every member is a name from the code or
 * a number, so no row can name a caller or what a caller sent.
 *
 * @module
 */

/** `request`: an answer; `delay`: work that failed and waits; `alarm`: for the operator; `queue`: what waits, and since when; `run`: a cron trigger. */
export type RowKind = 'request' | 'delay' | 'alarm' | 'queue' | 'run'

export interface MetricRow {
  readonly kind: RowKind
  readonly service: string
  /** Of the operation, delay, alarm, queue or trigger. */
  readonly name: string
  /** Of a request, `2xx` to `5xx`; of a run, `done` or `failed`. */
  readonly outcome?: string
  /** Of a refused request, its public name. */
  readonly error?: string
  /** Milliseconds of a request or a run; how much waits or was counted, of everything else. */
  readonly value: number
  /** Status of a request; age of the oldest in a queue, in seconds. */
  readonly detail?: number
}

/** In the order of `blob1` and so on, and of `double1`, in SQL. */
export const BLOBS = ['kind', 'service', 'name', 'outcome', 'error'] as const
/** `count` is 1; a sum of it times `_sample_interval` counts rows. */
export const DOUBLES = ['count', 'value', 'detail'] as const

export interface DataPoint {
  readonly indexes: string[]
  readonly blobs: string[]
  readonly doubles: number[]
}

/** Sampled by index, so that a busy operation cannot push out a quiet one. An index has at most 96 bytes. */
export function dataPointOf(row: MetricRow): DataPoint {
  const { kind, service, name, outcome = '', error = '', value, detail = 0 } = row
  return {
    indexes: [`${kind}:${service}:${name}`.slice(0, 96)],
    blobs: [kind, service, name, outcome, error],
    doubles: [1, value, detail],
  }
}

/** Null for a data point of another layout. */
export function rowOf(blobs: readonly string[], doubles: readonly number[]): MetricRow | null {
  const [kind = '', service = '', name = '', outcome = '', error = ''] = blobs
  const [, value = 0, detail = 0] = doubles
  if (!isKind(kind) || service === '' || name === '') return null
  return { kind, service, name, outcome, error, value, detail }
}

function isKind(kind: string): kind is RowKind {
  return ['request', 'delay', 'alarm', 'queue', 'run'].includes(kind)
}

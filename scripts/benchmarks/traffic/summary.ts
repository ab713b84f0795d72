import type { Table } from '../figures/figure.ts'
import { percentile } from '../figures/load.ts'
import type { Sample } from './run.ts'

/** The latencies of one kind, or of all, in milliseconds from the scheduled time. */
export interface Summary {
  readonly service: string
  readonly name: string
  readonly count: number
  readonly perSecond: number
  readonly p50: number
  readonly p90: number
  readonly p99: number
  readonly max: number
  /** Requests without the expected response, for any reason. */
  readonly errors: number
}

/** One summary per kind, in the order of `names`, and one for all. `seconds` is the time from the first to the last response. */
export function summarize(samples: readonly Sample[], names: readonly string[], seconds: number): Summary[] {
  const kinds = names
    .map((name) => samples.filter(({ kind }) => kind.name === name))
    .flatMap((own) => (own[0] ? [summaryOf(own[0].kind.service, own[0].kind.name, own, seconds)] : []))
  return [...kinds, summaryOf('all', 'everything', samples, seconds)]
}

function summaryOf(service: string, name: string, samples: readonly Sample[], seconds: number): Summary {
  // Unsent requests have no latency. Requests that timed out count with the full time-out.
  const times = samples.filter(({ outcome }) => outcome !== 'unsent').map(({ milliseconds }) => milliseconds)
  return {
    service,
    name,
    count: samples.length,
    perSecond: samples.length / seconds,
    p50: percentile(times, 0.5),
    p90: percentile(times, 0.9),
    p99: percentile(times, 0.99),
    max: Math.max(...times),
    errors: samples.filter(({ outcome }) => outcome !== 'answered').length,
  }
}

/** The requests that were due in one second of the run. */
export interface Slice {
  readonly second: number
  readonly p50: number
  readonly max: number
}

/** In order, without seconds in which nothing was due. */
export function slicesOf(samples: readonly Sample[]): Slice[] {
  const bySecond = new Map<number, number[]>()
  for (const { at, milliseconds, outcome } of samples) {
    if (outcome === 'unsent') continue
    const second = Math.floor(at / 1000)
    bySecond.set(second, [...(bySecond.get(second) ?? []), milliseconds])
  }
  return [...bySecond]
    .map(([second, times]) => ({ second, p50: percentile(times, 0.5), max: Math.max(...times) }))
    .toSorted((a, b) => a.second - b.second)
}

export function tableOf(title: string, summaries: readonly Summary[]): Table {
  const ms = (milliseconds: number) => milliseconds.toFixed(1)
  return {
    title,
    columns: ['service', 'request', 'count', 'per s', 'p50 ms', 'p90 ms', 'p99 ms', 'max ms', 'errors'],
    rows: summaries.map(({ service, name, count, perSecond, p50, p90, p99, max, errors }) => [
      service,
      name,
      String(count),
      perSecond.toFixed(1),
      ...[p50, p90, p99, max].map(ms),
      String(errors),
    ]),
  }
}

/** Counts errors: `core append: failed 503, twice`. */
export function errorsOf(samples: readonly Sample[]): string[] {
  const counts = new Map<string, number>()
  for (const { kind, outcome, status } of samples) {
    if (outcome === 'answered') continue
    const what = `${kind.service} ${kind.name}: ${outcome}${status === 0 ? '' : ` ${status}`}`
    counts.set(what, (counts.get(what) ?? 0) + 1)
  }
  return [...counts].map(([what, count]) => `${what}, ${count === 1 ? 'once' : `${count} times`}`).toSorted()
}

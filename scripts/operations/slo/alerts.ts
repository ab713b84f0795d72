/**
 * Which alerts ring, from rows of metrics. Pure: the same rows ring the same alerts, at any later time too.
 *
 * @module
 */
import {
  ALARM_MINUTES,
  BURN_RULES,
  type BurnRule,
  DELAY_RULE,
  DELAY_RULES,
  LATENCY_TARGET,
  MIN_BAD,
  MISSING_AFTER_PERIODS,
  OBJECTIVES,
  type Objective,
  QUEUE_RULES,
  RUN_RULES,
} from './objectives.ts'

/** One row of the metrics, or several that are alike. */
export interface Counted {
  /** Epoch ms. */
  readonly at: number
  readonly kind: string
  readonly service: string
  readonly name: string
  readonly outcome: string
  /** How many rows it stands for, samples weighted. */
  readonly count: number
  /** Of requests, how many were slower than their objective allows. */
  readonly slow: number
  /** The largest of them: milliseconds, or how much waits. */
  readonly value: number
  /** The largest of them: of a queue, the age of its oldest in seconds. */
  readonly detail: number
}

export interface Ringing {
  /** In the table of the page. */
  readonly alert: string
  /** What rings: an objective, a queue, a name of a log line. */
  readonly subject: string
  readonly since: number
  readonly text: string
}

export interface EvaluationOptions {
  readonly now: number
  /** When the first row was written that could be among these: nothing before is missing. */
  readonly observedFrom: number
  /** Divides all times, for a load run of seconds: with 120, an hour is half a minute. */
  readonly scale?: number
  /** A local start runs no triggers, so none is missing. */
  readonly hasTriggers?: boolean
}

const MINUTE_MS = 60_000
export const SHARES = ['availability', 'latency'] as const
export type Share = (typeof SHARES)[number]

/** All alerts that ring now. */
export function ringing(rows: readonly Counted[], options: EvaluationOptions): Ringing[] {
  const past = rows.filter(({ at }) => at <= options.now)
  return [
    ...burning(past, options),
    ...oldQueues(past, options),
    ...lastingDelays(past, options),
    ...raised(past, options),
    ...missingRuns(past, options),
  ]
}

/** An alert that has rung, and when it was first and last heard. */
export interface Rang extends Ringing {
  readonly until: number
}

const LISTENED = 120

/** The alerts that rang at one of many moments from the first row on, in the order of their beginning. */
export function rang(rows: readonly Counted[], options: EvaluationOptions): Rang[] {
  const { now, observedFrom } = options
  const heard = new Map<string, Rang>()
  for (let i = 1; i <= LISTENED; i += 1) {
    const at = observedFrom + ((now - observedFrom) * i) / LISTENED
    for (const one of ringing(rows, { ...options, now: at })) {
      const key = `${one.alert} ${one.subject}`
      heard.set(key, { ...one, since: heard.get(key)?.since ?? at, until: at })
    }
  }
  return [...heard.values()].toSorted((one, other) => one.since - other.since)
}

export function rowsOf({ operations }: Objective, rows: readonly Counted[]): Counted[] {
  const ids = new Set(
    Object.entries(operations).flatMap(([service, names]) => names.map((name) => `${service} ${name}`)),
  )
  return rows.filter(({ kind, service, name }) => kind === 'request' && ids.has(`${service} ${name}`))
}

export function targetOf(objective: Objective, share: Share): number {
  return share === 'availability' ? objective.availability : LATENCY_TARGET
}

/** How many times faster than allowed the budget was spent in `(from, to]`; 0 without a request. */
export function burnRate(
  rows: readonly Counted[],
  share: Share,
  target: number,
  { from, to }: { readonly from: number; readonly to: number },
): { readonly rate: number; readonly bad: number; readonly total: number } {
  let [bad, total] = [0, 0]
  for (const { at, count, slow, outcome } of rows) {
    if (at <= from || at > to) continue
    total += count
    if (share === 'availability') bad += outcome === '5xx' ? count : 0
    else bad += slow
  }
  return { rate: total === 0 ? 0 : bad / total / (1 - target), bad, total }
}

function burning(rows: readonly Counted[], options: EvaluationOptions): Ringing[] {
  return OBJECTIVES.flatMap((objective) => {
    const own = rowsOf(objective, rows)
    return SHARES.flatMap((share) => BURN_RULES.flatMap((rule) => burningBy(objective, share, rule, own, options)))
  })
}

function burningBy(
  objective: Objective,
  share: Share,
  { speed, longMinutes, shortMinutes, burnRate: limit }: BurnRule,
  rows: readonly Counted[],
  { now, scale = 1 }: EvaluationOptions,
): Ringing[] {
  const target = targetOf(objective, share)
  const over = (minutes: number) =>
    burnRate(rows, share, target, { from: now - (minutes * MINUTE_MS) / scale, to: now })
  const [long, short] = [over(longMinutes), over(shortMinutes)]
  if (long.rate < limit || short.rate < limit || long.bad < MIN_BAD) return []
  const text = `${objective.title}: ${long.bad} of ${long.total} ${share === 'availability' ? 'failed' : `took longer than ${objective.p99Ms} ms`} within ${longMinutes} minutes, ${long.rate.toFixed(1)} times as fast as the budget allows`
  return [
    { alert: `${share}-${speed}`, subject: objective.kind, since: now - (shortMinutes * MINUTE_MS) / scale, text },
  ]
}

function oldQueues(rows: readonly Counted[], { now, scale = 1 }: EvaluationOptions): Ringing[] {
  return QUEUE_RULES.flatMap(({ service, queue, maxAgeMinutes }) => {
    const newest = rows
      .filter((row) => row.kind === 'queue' && row.service === service && row.name === queue)
      .reduce<Counted | null>((latest, row) => (latest && latest.at >= row.at ? latest : row), null)
    if (!newest || newest.value === 0 || newest.detail * scale <= maxAgeMinutes * 60) return []
    const text = `${service}, ${queue}: ${newest.value} wait, the oldest for ${Math.round(newest.detail / 60)} minutes`
    return [{ alert: 'queue-age', subject: queue, since: now - newest.detail * 1000, text }]
  })
}

function lastingDelays(rows: readonly Counted[], { now, scale = 1 }: EvaluationOptions): Ringing[] {
  const delays = Map.groupBy(
    rows.filter(({ kind }) => kind === 'delay'),
    ({ service, name }) => `${service} ${name}`,
  )
  return [...delays.values()].flatMap((all) => {
    const { service = '', name = '' } = all[0] ?? {}
    const { withinMinutes, lastingMinutes } = DELAY_RULES[name] ?? DELAY_RULE
    const recent = all.filter(({ at }) => at > now - (withinMinutes * MINUTE_MS) / scale).map(({ at }) => at)
    const [first, last] = [Math.min(...recent), Math.max(...recent)]
    if (recent.length < 2 || last - first < (lastingMinutes * MINUTE_MS) / scale) return []
    const text = `${service}, ${name}: failed ${recent.length} times within ${withinMinutes} minutes`
    return [{ alert: 'delay', subject: name, since: first, text }]
  })
}

function raised(rows: readonly Counted[], { now, scale = 1 }: EvaluationOptions): Ringing[] {
  const alarms = rows.filter(({ kind, at }) => kind === 'alarm' && at > now - (ALARM_MINUTES * MINUTE_MS) / scale)
  return [...Map.groupBy(alarms, ({ service, name }) => `${service} ${name}`).values()].flatMap((all) => {
    const [first] = all
    if (!first) return []
    const count = all.reduce((sum, row) => sum + row.count, 0)
    const since = Math.min(...all.map(({ at }) => at))
    return [{ alert: 'alarm', subject: first.name, since, text: `${first.service}: ${count} × ${first.name}` }]
  })
}

function missingRuns(
  rows: readonly Counted[],
  { now, observedFrom, scale = 1, hasTriggers = true }: EvaluationOptions,
): Ringing[] {
  if (!hasTriggers) return []
  return RUN_RULES.flatMap(({ service, run, everyMinutes }) => {
    const done = rows.filter(
      (row) => row.kind === 'run' && row.service === service && row.name === run && row.outcome === 'done',
    )
    const last = Math.max(observedFrom, ...done.map(({ at }) => at))
    if (now - last <= (everyMinutes * MISSING_AFTER_PERIODS * MINUTE_MS) / scale) return []
    const subject = `${service} ${run}`
    return [{ alert: 'run-missing', subject, since: last, text: `${service}: the trigger "${run}" was not done` }]
  })
}

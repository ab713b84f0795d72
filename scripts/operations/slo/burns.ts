import { burnRate, type Counted, type EvaluationOptions, rowsOf, SHARES, type Share, targetOf } from './alerts.ts'
import { BURN_RULES, OBJECTIVES, type Objective } from './objectives.ts'

/** How one share of an objective was met, and how its error budget burned. */
export interface Burn {
  /** Of the {@link Objective}. */
  readonly title: string
  readonly share: Share
  /** Milliseconds that 99 of 100 answers may take. */
  readonly p99Ms: number
  /** Share of good answers: 0.999 is 99.9 %. */
  readonly target: number
  readonly requests: number
  readonly bad: number
  /** Over the whole time. 1 spends the budget in 30 days. */
  readonly rate: number
  /** The rate at which the fast alert rings. */
  readonly limit: number
  /** Ascending by `at`. Empty if nothing was bad. */
  readonly points: readonly BurnPoint[]
}

export interface BurnPoint {
  /** Epoch ms. */
  readonly at: number
  /** Burn rate over the long window of the fast alert, an hour. */
  readonly long: number
  /** Burn rate over its short window, five minutes. */
  readonly short: number
}

const MINUTE_MS = 60_000
const POINTS = 120

/** Each share of each objective, in the order of {@link OBJECTIVES}. */
export function burnsOf(rows: readonly Counted[], options: EvaluationOptions): Burn[] {
  return OBJECTIVES.flatMap((objective) => {
    const own = rowsOf(objective, rows)
    return SHARES.map((share) => burnOf(objective, share, own, options))
  })
}

function burnOf(objective: Objective, share: Share, rows: readonly Counted[], options: EvaluationOptions): Burn {
  const { now, observedFrom, scale = 1 } = options
  const [fast] = BURN_RULES
  const target = targetOf(objective, share)
  const { bad, total, rate } = burnRate(rows, share, target, { from: observedFrom - 1, to: now })
  const over = (minutes: number, to: number) =>
    rounded(burnRate(rows, share, target, { from: to - (minutes * MINUTE_MS) / scale, to }).rate)
  const points = Array.from({ length: POINTS + 1 }, (_, i) => {
    const at = Math.round(observedFrom + ((now - observedFrom) * i) / POINTS)
    return { at, long: over(fast.longMinutes, at), short: over(fast.shortMinutes, at) }
  })
  const { title, p99Ms } = objective
  const met = { target, requests: total, bad, rate: rounded(rate), limit: fast.burnRate }
  return { title, share, p99Ms, ...met, points: bad === 0 ? [] : points }
}

function rounded(rate: number): number {
  return Math.round(rate * 100) / 100
}

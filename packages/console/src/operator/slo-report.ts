/** What `scripts/slo --json` prints. Times are epoch ms. */
export interface SloReport {
  readonly rows: number
  readonly alerts: readonly Alert[]
  readonly past: readonly (Alert & { readonly until: number })[]
  readonly burns: readonly Burn[]
}

export interface Alert {
  readonly alert: string
  readonly subject: string
  readonly since: number
  readonly text: string
}

/** How one share of an objective was met, and the burn rates of its error budget. */
export interface Burn {
  readonly title: string
  readonly share: 'availability' | 'latency'
  readonly p99Ms: number
  /** Share of good answers that is promised: 0.999 is 99.9 %. */
  readonly target: number
  readonly requests: number
  readonly bad: number
  /** 1 spends the budget in 30 days. */
  readonly rate: number
  /** The rate at which the fast alert rings. */
  readonly limit: number
  /** Over an hour and over five minutes. Empty if nothing was bad. */
  readonly points: readonly { readonly at: number; readonly long: number; readonly short: number }[]
}

type Check = (value: unknown) => boolean

const ALERT = { alert: isText, subject: isText, since: isNumber, text: isText }
const POINT = { at: isNumber, long: isNumber, short: isNumber }
const COUNTS = { p99Ms: isNumber, target: isNumber, requests: isNumber, bad: isNumber, rate: isNumber, limit: isNumber }
const isShare: Check = (value) => value === 'availability' || value === 'latency'
const REPORT = {
  rows: isNumber,
  alerts: listOf(ALERT),
  past: listOf({ ...ALERT, until: isNumber }),
  burns: listOf({ title: isText, share: isShare, ...COUNTS, points: listOf(POINT) }),
}

/** Null for anything else. */
export function sloReportOf(text: string): SloReport | null {
  try {
    const value: unknown = JSON.parse(text)
    return has(REPORT, value) ? (value as SloReport) : null
  } catch {
    return null
  }
}

function has(members: Readonly<Record<string, Check>>, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(members).every(([name, check]) => check((value as Record<string, unknown>)[name]))
}

function listOf(members: Readonly<Record<string, Check>>): Check {
  return (value) => Array.isArray(value) && value.every((item) => has(members, item))
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number'
}

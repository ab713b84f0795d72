import { existsSync, writeFileSync } from 'node:fs'
import { readStoredRows } from '@svc/platform/local/metrics'
import { SetupError } from '@svc/platform/workspace'
import { type Counted, type Rang, type Ringing, rang, ringing } from './alerts.ts'
import { type Burn, burnsOf } from './burns.ts'
import { sloPage } from './page.ts'
import { type AnalyticsAccess, analyticsRows, countedRows } from './rows.ts'

export interface SloOptions {
  /** A file of stored rows, or where to ask. */
  readonly source: string | AnalyticsAccess
  /** Null for the time of the newest row of a file. */
  readonly now: number | null
  readonly scale: number
  /** The file for the page. */
  readonly html: string | undefined
}

export interface SloReport {
  readonly rows: number
  /** Those that ring now. */
  readonly alerts: readonly Ringing[]
  /** Those that rang since the first row. */
  readonly past: readonly Rang[]
  /** Each share of each objective. */
  readonly burns: readonly Burn[]
}

const HOUR_MS = 3_600_000

/** Reads the rows, tells which alerts ring and writes the page. */
export async function reportSlos({ source, now, scale, html }: SloOptions): Promise<SloReport> {
  const rows = await read(source)
  const last = now ?? rows.reduce((latest, { at }) => Math.max(latest, at), 0)
  const first = rows.reduce((earliest, { at }) => Math.min(earliest, at), last)
  // What is asked of a deployment is known for the whole time: a service without a row was silent.
  const observedFrom = typeof source === 'string' ? first : Math.min(first, last - source.hours * HOUR_MS)
  const options = { now: last, observedFrom, scale, hasTriggers: typeof source !== 'string' }
  const alerts = ringing(rows, options)
  const past = rang(rows, options)
  const burns = burnsOf(rows, options)
  if (html !== undefined) writeFileSync(html, sloPage({ alerts, past, burns }, options))
  return { rows: rows.length, alerts, past, burns }
}

async function read(source: SloOptions['source']): Promise<Counted[]> {
  if (typeof source !== 'string') return analyticsRows(source)
  if (!existsSync(source)) throw new SetupError(`${source} does not exist: start the platform, or name a file of rows`)
  const rows = countedRows(readStoredRows(source))
  if (rows.length === 0) throw new SetupError(`${source} has no rows`)
  return rows
}

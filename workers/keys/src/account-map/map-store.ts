import type { Sql } from '@svc/objects'
import { BUCKETS } from '@svc/protocol/keys/map-pages'
import type { BucketHead } from './bucket.ts'

/** Which entries were counted: the first `size` of a log, and all of the logs before it. */
export interface LogPlace {
  readonly log: string
  readonly size: number
}

export const isSamePlace = (a: LogPlace, b: LogPlace) => a.log === b.log && a.size === b.size
export const placeName = ({ log, size }: LogPlace) => `${log}:${size}`

/** A map on its way into the log: what is counted, and what is to be. */
export interface MapPlan {
  readonly epoch: number
  readonly at: number
  readonly counted: LogPlace
  readonly step: number
  readonly heads: readonly BucketHead[]
  readonly to: LogPlace
}

/** A map whose leaf is in the log `counted.log`. */
export interface SignedMap extends Omit<MapPlan, 'to' | 'step'> {
  readonly index: number
}

export interface CountedLog {
  readonly log: string
  /** Once it was closed. */
  readonly size: number | null
  readonly root: string | null
}

type MapSql = {
  epoch: number
  at: number
  log: string
  size: number
  step: number
  heads: string
  to_log: string
  to_size: number
  idx: number | null
}

/** Of a map without accounts. */
export const NO_HEADS: readonly BucketHead[] = Array.from({ length: BUCKETS }, () => null)

/** The newest map and the next one, in the SQLite of the map's object. */
export class MapStore {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  signed(): SignedMap | null {
    const [row] = this.#sql
      .exec<MapSql & { idx: number }>('SELECT * FROM maps WHERE idx IS NOT NULL ORDER BY epoch DESC LIMIT 1')
      .toArray()
    return row ? { ...mapOf(row), index: row.idx } : null
  }

  plan(): MapPlan | null {
    const [row] = this.#sql.exec<MapSql>('SELECT * FROM maps WHERE idx IS NULL').toArray()
    return row ? { ...mapOf(row), step: row.step, to: { log: row.to_log, size: row.to_size } } : null
  }

  /** There is one plan at a time. */
  keepPlan({ epoch, at, counted, step, heads, to }: MapPlan): void {
    this.#sql.exec('DELETE FROM maps WHERE idx IS NULL AND epoch <> ?', epoch)
    this.#sql.exec(
      `INSERT OR REPLACE INTO maps (epoch, at, log, size, step, heads, to_log, to_size, idx)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL)`,
      epoch,
      at,
      counted.log,
      counted.size,
      step,
      JSON.stringify(heads),
      to.log,
      to.size,
    )
  }

  /** The plan is done, and the map before it is not needed any more. */
  sign(epoch: number, index: number): void {
    this.#sql.exec('UPDATE maps SET idx = ? WHERE epoch = ?', index, epoch)
    this.#sql.exec('DELETE FROM maps WHERE epoch < ?', epoch)
  }

  logs(): CountedLog[] {
    return this.#sql
      .exec<{ log: string; size: number | null; root: string | null }>(
        'SELECT log, size, root FROM logs ORDER BY ordinal',
      )
      .toArray()
  }

  addLog(log: string): void {
    this.#sql.exec(
      'INSERT INTO logs (ordinal, log) VALUES ((SELECT count(*) FROM logs), ?) ON CONFLICT DO NOTHING',
      log,
    )
  }

  endLog({ log, size }: LogPlace, root: string): void {
    this.#sql.exec('UPDATE logs SET size = ?, root = ? WHERE log = ?', size, root, log)
  }

  askRepair(bucket: number): void {
    this.#sql.exec('INSERT INTO repairs (bucket) VALUES (?) ON CONFLICT DO NOTHING', bucket)
  }

  repairs(): number[] {
    return this.#sql
      .exec<{ bucket: number }>('SELECT bucket FROM repairs ORDER BY bucket')
      .toArray()
      .map(({ bucket }) => bucket)
  }

  repaired(bucket: number): void {
    this.#sql.exec('DELETE FROM repairs WHERE bucket = ?', bucket)
  }
}

function mapOf({ epoch, at, log, size, heads }: MapSql) {
  return { epoch, at, counted: { log, size }, heads: JSON.parse(heads) as BucketHead[] }
}

import { type Schema, VersionedObject } from '@svc/objects'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { countsFrom, type Limit, secondsToWait } from './counter.ts'

const COUNTER: Schema = {
  name: 'counter',
  unversionedTable: 'marks',
  steps: [
    {
      name: 'marks',
      sql: `CREATE TABLE IF NOT EXISTS marks (
              mark TEXT PRIMARY KEY, at INTEGER NOT NULL, until INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID`,
    },
  ],
}

export interface Taken {
  /** Undoes the count. */
  readonly mark: string
  /** How many more are allowed while the earlier ones count. */
  readonly left: number
}

/**
 * One counter for one caller, named by both: the times of allowed requests, while they count. Refused ones are not
 * stored. It deletes everything when the last of them has expired.
 */
export class CounterObject extends VersionedObject {
  static override readonly schemas = [COUNTER]

  /** Counts one and names it, or returns how long to wait. The limit of a counter never changes. */
  async take(quota: Limit): Promise<Result<Taken, { retryAfterSeconds: number }>> {
    const now = Date.now()
    const until = now + quota.seconds * 1000
    const { sql } = this.stored
    const taken = this.stored.transact((): Result<Taken, { retryAfterSeconds: number }> => {
      this.stored.create(COUNTER)
      const times = sql.exec<{ at: number }>('SELECT at FROM marks ORDER BY at').toArray()
      const retryAfterSeconds = secondsToWait(
        times.map(({ at }) => at),
        quota,
        now,
      )
      if (retryAfterSeconds > 0) return err({ retryAfterSeconds })
      const mark = crypto.randomUUID()
      sql.exec('DELETE FROM marks WHERE at <= ?', countsFrom(now, quota))
      sql.exec('INSERT INTO marks (mark, at, until) VALUES (?, ?, ?)', mark, now, until)
      const { counted } = sql.exec<{ counted: number }>('SELECT count(*) AS counted FROM marks').one()
      return ok({ mark, left: quota.limit - counted })
    })
    if (taken.ok) await this.stored.alarm.by(until)
    return taken
  }

  /** Undoes a count; a mark that is already gone changes nothing. */
  release(mark: string): void {
    if (this.stored.exists) this.stored.sql.exec('DELETE FROM marks WHERE mark = ?', mark)
  }

  override async alarm(): Promise<void> {
    this.stored.alarm.wentOff()
    if (!this.stored.exists) return
    const { sql } = this.stored
    sql.exec('DELETE FROM marks WHERE until <= ?', Date.now())
    const { last } = sql.exec<{ last: number | null }>('SELECT max(until) AS last FROM marks').one()
    if (last === null) await this.stored.deleteAll()
    else await this.stored.alarm.by(last)
  }
}

import { DurableObject } from 'cloudflare:workers'
import { err, ok, type Result } from '@svc/protocol/result'
import { countsFrom, type Limit, secondsToWait } from './counter.ts'

/**
 * One counter for one caller, named by both: the times of what was let through, while they count. What was refused is
 * not kept. It forgets everything when the last of them counts no more.
 */
export class CounterObject extends DurableObject {
  /** Counts one and names it, or says how long to wait. The limit of one counter is always the same. */
  async take(quota: Limit): Promise<Result<string, { retryAfterSeconds: number }>> {
    const { storage } = this.ctx
    const now = Date.now()
    const taken = storage.transactionSync((): Result<string, { retryAfterSeconds: number }> => {
      storage.sql.exec(
        'CREATE TABLE IF NOT EXISTS marks (mark TEXT PRIMARY KEY, at INTEGER NOT NULL, until INTEGER NOT NULL) STRICT, WITHOUT ROWID',
      )
      storage.sql.exec('DELETE FROM marks WHERE at <= ?', countsFrom(now, quota))
      const times = storage.sql.exec<{ at: number }>('SELECT at FROM marks ORDER BY at').toArray()
      const retryAfterSeconds = secondsToWait(
        times.map(({ at }) => at),
        quota,
        now,
      )
      if (retryAfterSeconds > 0) return err({ retryAfterSeconds })
      const mark = crypto.randomUUID()
      storage.sql.exec('INSERT INTO marks (mark, at, until) VALUES (?, ?, ?)', mark, now, now + quota.seconds * 1000)
      return ok(mark)
    })
    if (taken.ok) await this.#scheduleForgetting()
    return taken
  }

  /** Takes back what did not come about; a mark that is gone already changes nothing. */
  release(mark: string): void {
    if (this.#exists()) this.ctx.storage.sql.exec('DELETE FROM marks WHERE mark = ?', mark)
  }

  override async alarm(): Promise<void> {
    if (this.#exists()) this.ctx.storage.sql.exec('DELETE FROM marks WHERE until <= ?', Date.now())
    await this.#scheduleForgetting()
  }

  async #scheduleForgetting(): Promise<void> {
    const { storage } = this.ctx
    const last = this.#exists()
      ? storage.sql.exec<{ last: number | null }>('SELECT max(until) AS last FROM marks').one().last
      : null
    if (last === null) await storage.deleteAll()
    else await storage.setAlarm(last)
  }

  #exists(): boolean {
    const { sql } = this.ctx.storage
    return sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'marks'").toArray().length > 0
  }
}

import { reaching } from '@svc/protocol/base/dependency-fault'

/** A write takes seconds; after an hour, what it noted and never named is left over from a crash. */
export const LOOSE_MS = 3_600_000
/** Objects of R2 that one sweep deletes at most; the rest waits for the next. */
const MAX_SWEPT = 200
/** R2's limit of keys in one delete, and of one page of a list. */
const MAX_KEYS = 1_000

/** What is known outside of the database about noted keys; the rest is named by nothing. */
export interface Standing {
  readonly named: readonly string[]
  /** Left for a later sweep. */
  readonly unknown: readonly string[]
}

type StandingOf = (keys: readonly string[]) => Promise<Standing>

const unnamed: StandingOf = async () => ({ named: [], unknown: [] })

/**
 * Objects in R2 that no row names: noted in the table `loose_objects` before they are written, and again, as due, by the
 * transaction that drops the last row naming them. Every object has a key of its own, so nobody names it afterwards.
 * A key that ends with `/` is a prefix.
 */
export class LooseObjects {
  readonly #db: D1Database
  readonly #bucket: R2Bucket

  constructor(db: D1Database, bucket: R2Bucket) {
    this.#db = db
    this.#bucket = bucket
  }

  /** Before the write. A crash after it leaves an object that the sweep finds. */
  async note(keys: readonly string[], now: number): Promise<void> {
    const insert = this.#db.prepare('INSERT INTO loose_objects (key, since) SELECT value, ?2 FROM json_each(?1)')
    await reaching('database', () => insert.bind(JSON.stringify(keys), now).run())
  }

  /** Something outside of the database names these objects now. */
  async forget(keys: readonly string[]): Promise<void> {
    const forget = this.#db.prepare('DELETE FROM loose_objects WHERE key IN (SELECT value FROM json_each(?))')
    await reaching('database', () => forget.bind(JSON.stringify(keys)).run())
  }

  /** Deletes objects that no row names, and forgets them. Idempotent. */
  async delete(keys: readonly string[]): Promise<void> {
    for (const prefix of keys.filter((key) => key.endsWith('/'))) await this.#deleteUnder(prefix)
    const single = keys.filter((key) => !key.endsWith('/'))
    for (let from = 0; from < single.length; from += MAX_KEYS) {
      await reaching('blobs', () => this.#bucket.delete(single.slice(from, from + MAX_KEYS)))
    }
    await this.forget(keys)
  }

  /**
   * Deletes what is due and what was noted an hour ago; returns how many keys that were. `standingOf` is asked before, and
   * what it does not know now goes behind the rest.
   */
  async sweep(now: number, standingOf = unnamed): Promise<number> {
    const select = this.#db.prepare('SELECT key FROM loose_objects WHERE since < ? ORDER BY since LIMIT ?')
    const { results } = await reaching('database', () => select.bind(now - LOOSE_MS, MAX_SWEPT).all<{ key: string }>())
    const keys = results.map(({ key }) => key)
    if (keys.length === 0) return 0
    const { named, unknown } = await standingOf(keys)
    if (unknown.length > 0) await this.#postpone(unknown, now)
    if (named.length > 0) await this.forget(named)
    const kept = new Set([...named, ...unknown])
    await this.delete(keys.filter((key) => !kept.has(key)))
    return keys.length - kept.size
  }

  async #postpone(keys: readonly string[], now: number): Promise<void> {
    const update = this.#db.prepare('UPDATE loose_objects SET since = ? WHERE key IN (SELECT value FROM json_each(?))')
    await reaching('database', () => update.bind(now, JSON.stringify(keys)).run())
  }

  async #deleteUnder(prefix: string): Promise<void> {
    for (;;) {
      const { objects } = await reaching('blobs', () => this.#bucket.list({ prefix, limit: MAX_KEYS }))
      if (objects.length === 0) return
      await reaching('blobs', () => this.#bucket.delete(objects.map(({ key }) => key)))
    }
  }
}

/** For a transaction that drops rows. The query selects the keys that no row names afterwards, each with 0. */
export function dueSql(query: string): string {
  return `INSERT INTO loose_objects (key, since) ${query} ON CONFLICT DO UPDATE SET since = 0`
}

import type { Sql } from '@svc/objects'
import { MAX_RETRY_MS, RETRY_MS } from '@svc/objects/retry'
import type { Held } from '../owner/transaction.ts'

/** Done at once by the call that wrote; the alarm finds what that call could not do. */
export const AFTER_MS = 5_000
/** Longer than any write of vectors that was under way. */
const REPEAT_MS = 120_000
/** An owner hears of a registration well before its reserved room is void. */
const MAX_TELL_MS = 300_000

export interface Untold extends Held {
  readonly did: string
}
export interface VectorRemoval {
  readonly assetId: string
  readonly did: string
  readonly position: number
  readonly isRepeat: boolean
}
type UntoldRow = { asset_id: string; did: string; revision: number; is_held: number; body_key: string }
type RemovalRow = { asset_id: string; did: string; position: number; is_repeat: number }

const UNTOLD = 'SELECT asset_id, did, revision, is_held, body_key FROM untold'
const REMOVALS = 'SELECT asset_id, did, position, is_repeat FROM vector_removals'

/** What a bucket still has to do outside: bodies to delete in R2, owners to tell, vectors to delete in D1. */
export class Outgoing {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  dueAt(): number | null {
    return this.#sql
      .exec<{ at: number | null }>(
        `SELECT min(at) AS at FROM (SELECT min(due_at) AS at FROM loose UNION ALL SELECT min(due_at) FROM untold
         UNION ALL SELECT min(due_at) FROM vector_removals)`,
      )
      .one().at
  }

  /** No row names the body yet. It may be named until this time, and is deleted afterwards. */
  expect(key: string, assetId: string, until: number): void {
    this.#sql.exec(
      'INSERT INTO loose (key, asset_id, is_condemned, attempts, due_at) VALUES (?, ?, 0, 0, ?)',
      key,
      assetId,
      until,
    )
  }

  /** A row names it now. False if it may be deleted already, or is about to be. */
  named(key: string, now: number): boolean {
    const remove = 'DELETE FROM loose WHERE key = ? AND is_condemned = 0 AND due_at > ? RETURNING key'
    return this.#sql.exec(remove, key, now).toArray().length > 0
  }

  /** No row names the body any more. */
  condemn(key: string, assetId: string, now: number): void {
    this.#sql.exec(
      'INSERT INTO loose (key, asset_id, is_condemned, attempts, due_at) VALUES (?, ?, 1, 0, ?)',
      key,
      assetId,
      now + AFTER_MS,
    )
  }

  /** One that was expected and will not be named. False if it is not loose. */
  condemnExpected(key: string, now: number): boolean {
    const update = 'UPDATE loose SET is_condemned = 1, due_at = ?2 WHERE key = ?1 RETURNING key'
    return this.#sql.exec(update, key, now + AFTER_MS).toArray().length > 0
  }

  /** The bodies of all registrations of an asset, which their owners do not have any more. */
  condemnAll(assetId: string, revision: number, now: number): void {
    this.#sql.exec(
      `INSERT INTO loose (key, asset_id, is_condemned, attempts, due_at)
       SELECT body_key, asset_id, 1, 0, ?2 FROM capsules WHERE asset_id = ?1`,
      assetId,
      now + AFTER_MS,
    )
    this.#sql.exec(
      `INSERT INTO untold (asset_id, did, revision, is_held, body_key, attempts, due_at)
       SELECT asset_id, did, ?2, 0, body_key, 0, ?3 FROM capsules WHERE asset_id = ?1
       ON CONFLICT DO UPDATE SET revision = excluded.revision, is_held = 0, body_key = excluded.body_key`,
      assetId,
      revision,
      now + AFTER_MS,
    )
  }

  /** What is due, some of it: from now on it is not named any more. */
  dueBodies(now: number, limit: number): string[] {
    return this.#sql
      .exec<{ key: string }>(
        `UPDATE loose SET is_condemned = 1 WHERE key IN (SELECT key FROM loose WHERE due_at <= ? ORDER BY due_at LIMIT ?)
         RETURNING key`,
        now,
        limit,
      )
      .toArray()
      .map(({ key }) => key)
  }

  /** The condemned bodies of an asset, whenever they are due. */
  condemnedOf(assetId: string, limit: number): string[] {
    return this.#sql
      .exec<{ key: string }>('SELECT key FROM loose WHERE asset_id = ? AND is_condemned = 1 LIMIT ?', assetId, limit)
      .toArray()
      .map(({ key }) => key)
  }

  deleted(keys: readonly string[]): void {
    this.#sql.exec('DELETE FROM loose WHERE key IN (SELECT value FROM json_each(?))', JSON.stringify(keys))
  }

  /** They could not be deleted, and neither could the others that are due. */
  bodiesFailed(keys: readonly string[], now: number): void {
    this.#postpone(
      'loose',
      `is_condemned = 1 AND (due_at <= ?1 OR key IN (SELECT value FROM json_each(?4)))`,
      now,
      keys,
    )
  }

  /** The newest state replaces what waits. */
  tell({ assetId, did, revision, isHeld, bodyKey }: Untold, now: number): void {
    this.#sql.exec(
      `INSERT INTO untold (asset_id, did, revision, is_held, body_key, attempts, due_at) VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6)
       ON CONFLICT DO UPDATE SET revision = ?3, is_held = ?4, body_key = ?5`,
      assetId,
      did,
      revision,
      Number(isHeld),
      bodyKey,
      now + AFTER_MS,
    )
  }

  untold(now: number, limit: number): Untold[] {
    const select = `${UNTOLD} WHERE due_at <= ? ORDER BY due_at LIMIT ?`
    return this.#sql.exec<UntoldRow>(select, now, limit).toArray().map(untoldOf)
  }

  untoldOf(assetId: string, did: string): Untold[] {
    return this.#sql.exec<UntoldRow>(`${UNTOLD} WHERE asset_id = ? AND did = ?`, assetId, did).toArray().map(untoldOf)
  }

  /** The list of the owner has it, unless there is something newer. */
  told({ assetId, did, revision }: Untold): void {
    this.#sql.exec('DELETE FROM untold WHERE asset_id = ? AND did = ? AND revision = ?', assetId, did, revision)
  }

  notTold({ assetId, did }: Untold, now: number): void {
    this.#sql.exec(
      `UPDATE untold SET attempts = attempts + 1, due_at = ?3 + min(?4 << min(attempts, 20), ?5)
       WHERE asset_id = ?1 AND did = ?2`,
      assetId,
      did,
      now,
      RETRY_MS,
      MAX_TELL_MS,
    )
  }

  removeVectors(assetId: string, did: string, position: number, now: number): void {
    this.#sql.exec(
      `INSERT INTO vector_removals (asset_id, did, position, is_repeat, attempts, due_at) VALUES (?1, ?2, ?3, 0, 0, ?4)
       ON CONFLICT DO UPDATE SET position = ?3, is_repeat = 0, attempts = 0, due_at = ?4`,
      assetId,
      did,
      position,
      now + AFTER_MS,
    )
  }

  removals(now: number, limit: number): VectorRemoval[] {
    const select = `${REMOVALS} WHERE due_at <= ? ORDER BY due_at LIMIT ?`
    return this.#sql.exec<RemovalRow>(select, now, limit).toArray().map(removalOf)
  }

  removalsOf(assetId: string, did: string): VectorRemoval[] {
    const select = `${REMOVALS} WHERE asset_id = ? AND did = ?`
    return this.#sql.exec<RemovalRow>(select, assetId, did).toArray().map(removalOf)
  }

  /** Once more later, or done. Of two that do the first one at once, the second is not the repeat. */
  removed({ assetId, did, position, isRepeat }: VectorRemoval, now: number): void {
    const which = 'asset_id = ? AND did = ? AND position = ?'
    if (isRepeat) {
      this.#sql.exec(`DELETE FROM vector_removals WHERE ${which} AND is_repeat = 1`, assetId, did, position)
    } else {
      this.#sql.exec(
        `UPDATE vector_removals SET is_repeat = 1, attempts = 0, due_at = ? WHERE ${which} AND is_repeat = 0`,
        now + REPEAT_MS,
        assetId,
        did,
        position,
      )
    }
  }

  /** It could not be done, and neither could the others that are due. */
  removalsFailed({ assetId, did }: VectorRemoval, now: number): void {
    this.#postpone(
      'vector_removals',
      `(due_at <= ?1 OR asset_id || ' ' || did IN (SELECT value FROM json_each(?4)))`,
      now,
      [`${assetId} ${did}`],
    )
  }

  #postpone(table: 'loose' | 'vector_removals', where: string, now: number, named: readonly string[]): void {
    this.#sql.exec(
      `UPDATE ${table} SET attempts = attempts + 1, due_at = ?1 + min(?2 << min(attempts, 20), ?3) WHERE ${where}`,
      now,
      RETRY_MS,
      MAX_RETRY_MS,
      JSON.stringify(named),
    )
  }
}

function untoldOf({ asset_id: assetId, did, revision, is_held, body_key: bodyKey }: UntoldRow): Untold {
  return { assetId, did, revision, isHeld: is_held === 1, bodyKey }
}

function removalOf({ asset_id: assetId, did, position, is_repeat }: RemovalRow): VectorRemoval {
  return { assetId, did, position, isRepeat: is_repeat === 1 }
}

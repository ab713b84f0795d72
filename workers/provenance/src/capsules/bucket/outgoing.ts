import { MAX_RETRY_MS, RETRY_MS } from '@svc/objects/retry'
import type { Held } from '../owner/transaction.ts'

/** Done at once by the call that wrote; the alarm finds what that call could not do. */
const AFTER_MS = 5_000
/** Longer than any write of vectors that was under way. */
const REPEAT_MS = 120_000

export interface Untold extends Held {
  readonly did: string
}
export interface VectorRemoval {
  readonly assetId: string
  readonly did: string
  readonly position: number
}
type UntoldRow = { asset_id: string; did: string; revision: number; is_held: number }
type RemovalRow = { asset_id: string; did: string; position: number }

/** What a bucket still has to do outside: bodies to delete in R2, owners to tell, vectors to delete in D1. */
export class Outgoing {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
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

  /** No row names the body; it is deleted at this time unless one does by then. */
  loosen(key: string, dueAt: number): void {
    this.#sql.exec(
      'INSERT INTO loose (key, due_at) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET due_at = min(due_at, ?2)',
      key,
      dueAt,
    )
  }

  /** Only if it still is loose. */
  hasten(key: string, dueAt: number): void {
    this.#sql.exec('UPDATE loose SET due_at = min(due_at, ?2) WHERE key = ?1', key, dueAt)
  }

  /** A row names it now. False if it was not loose, and may be deleted already. */
  named(key: string): boolean {
    return this.#sql.exec('DELETE FROM loose WHERE key = ? RETURNING key', key).toArray().length > 0
  }

  dueBodies(now: number, limit: number): string[] {
    return this.#sql
      .exec<{ key: string }>('SELECT key FROM loose WHERE due_at <= ? ORDER BY due_at LIMIT ?', now, limit)
      .toArray()
      .map(({ key }) => key)
  }

  deleted(keys: readonly string[]): void {
    for (const key of keys) this.#sql.exec('DELETE FROM loose WHERE key = ?', key)
  }

  /** They could not be deleted. */
  postpone(keys: readonly string[], now: number): void {
    for (const key of keys) this.#sql.exec('UPDATE loose SET due_at = ?2 WHERE key = ?1', key, now + AFTER_MS)
  }

  /** The newest state replaces what waits. */
  tell({ assetId, did, revision, isHeld }: Untold, now: number): void {
    this.#sql.exec(
      `INSERT INTO untold (asset_id, did, revision, is_held, attempts, due_at) VALUES (?1, ?2, ?3, ?4, 0, ?5)
       ON CONFLICT DO UPDATE SET revision = ?3, is_held = ?4`,
      assetId,
      did,
      revision,
      Number(isHeld),
      now + AFTER_MS,
    )
  }

  untold(now: number, limit: number): Untold[] {
    return this.#sql
      .exec<UntoldRow>('SELECT asset_id, did, revision, is_held FROM untold WHERE due_at <= ? LIMIT ?', now, limit)
      .toArray()
      .map(untoldOf)
  }

  untoldOf(assetId: string, did: string): Untold[] {
    const select = 'SELECT asset_id, did, revision, is_held FROM untold WHERE asset_id = ? AND did = ?'
    return this.#sql.exec<UntoldRow>(select, assetId, did).toArray().map(untoldOf)
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
      MAX_RETRY_MS,
    )
  }

  removeVectors(assetId: string, did: string, position: number, now: number): void {
    this.#sql.exec(
      `INSERT INTO vector_removals (asset_id, did, position, is_repeat, due_at) VALUES (?1, ?2, ?3, 0, ?4)
       ON CONFLICT DO UPDATE SET position = ?3, is_repeat = 0, due_at = ?4`,
      assetId,
      did,
      position,
      now,
    )
  }

  removals(now: number, limit: number): VectorRemoval[] {
    return this.#sql
      .exec<RemovalRow>('SELECT asset_id, did, position FROM vector_removals WHERE due_at <= ? LIMIT ?', now, limit)
      .toArray()
      .map(({ asset_id: assetId, did, position }) => ({ assetId, did, position }))
  }

  /** Once more later, or done. */
  removed({ assetId, did, position }: VectorRemoval, now: number): void {
    const which = 'asset_id = ?1 AND did = ?2 AND position = ?3'
    this.#sql.exec(`DELETE FROM vector_removals WHERE ${which} AND is_repeat = 1`, assetId, did, position)
    this.#sql.exec(
      `UPDATE vector_removals SET is_repeat = 1, due_at = ?4 WHERE ${which}`,
      assetId,
      did,
      position,
      now + REPEAT_MS,
    )
  }

  notRemoved({ assetId, did }: VectorRemoval, now: number): void {
    const update = 'UPDATE vector_removals SET due_at = ?3 WHERE asset_id = ?1 AND did = ?2'
    this.#sql.exec(update, assetId, did, now + AFTER_MS)
  }
}

function untoldOf({ asset_id: assetId, did, revision, is_held }: UntoldRow): Untold {
  return { assetId, did, revision, isHeld: is_held === 1 }
}

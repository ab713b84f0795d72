/**
 * The transactions of an owner: how many capsules they keep, and the room of registrations that are under way.
 *
 * @module
 */
import type { ObjectStorage } from '@svc/objects'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { LOOSE_MS } from '@svc/service'
import type { Full } from '../../quota/budget.ts'
import { CAPSULE_OWNER } from './schema.ts'

/** Longer than a registration may take, so that what is completed had room until its owner's list has it. */
const RESERVED_MS = 2 * LOOSE_MS
const FORGOTTEN_AFTER_MS = 24 * 3_600_000

/** Whether the owner has a registration of an asset, as of a revision of its bucket, and which attempt that was. */
export interface Held {
  readonly assetId: string
  readonly revision: number
  readonly isHeld: boolean
  /** Names the room that was reserved for it. */
  readonly bodyKey: string
}

export class OwnerTransaction {
  readonly #stored: ObjectStorage

  constructor(stored: ObjectStorage) {
    this.#stored = stored
  }

  /** Holds room for a registration. Attempts for one asset share it, since one of them at most is completed. */
  reserve(id: string, assetId: string, limit: number, now: number): Result<null, Full> {
    return this.#stored.transact((): Result<null, Full> => {
      const used = this.#used(assetId, now)
      if (used >= limit) return err({ reason: 'full', used })
      this.#stored.create(CAPSULE_OWNER)
      this.#stored.sql.exec('DELETE FROM reserved WHERE until <= ?', now)
      this.#stored.sql.exec(
        'INSERT INTO reserved (id, asset_id, until) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
        id,
        assetId,
        now + RESERVED_MS,
      )
      return ok(null)
    })
  }

  /** The registration was not made. */
  release(id: string): void {
    if (this.#stored.exists) this.#stored.sql.exec('DELETE FROM reserved WHERE id = ?', id)
  }

  /** Takes what is newer than what is known, whatever the order of arrival. Idempotent. */
  take(held: readonly Held[], now: number): void {
    this.#stored.transact(() => {
      this.#stored.create(CAPSULE_OWNER)
      for (const one of held) this.#takeOne(one, now)
    })
  }

  /** Forgets deletions of long ago and room that is void; returns when there is more to forget. */
  forget(now: number): number | null {
    if (!this.#stored.exists) return null
    const { sql } = this.#stored
    sql.exec('DELETE FROM held WHERE is_held = 0 AND told_at <= ?', now - FORGOTTEN_AFTER_MS)
    sql.exec('DELETE FROM reserved WHERE until <= ?', now)
    const { gone, until } = sql
      .exec<{ gone: number | null; until: number | null }>(
        `SELECT (SELECT min(told_at) FROM held WHERE is_held = 0) AS gone, (SELECT min(until) FROM reserved) AS until`,
      )
      .one()
    const times = [gone === null ? null : gone + FORGOTTEN_AFTER_MS, until].filter((time) => time !== null)
    return times.length === 0 ? null : Math.min(...times)
  }

  #takeOne({ assetId, revision, isHeld, bodyKey }: Held, now: number): void {
    const { sql, facts } = this.#stored
    sql.exec('DELETE FROM reserved WHERE id = ?', bodyKey)
    const [before] = sql
      .exec<{ revision: number; is_held: number }>('SELECT revision, is_held FROM held WHERE asset_id = ?', assetId)
      .toArray()
    if (before && before.revision >= revision) return
    sql.exec(
      `INSERT INTO held (asset_id, revision, is_held, told_at) VALUES (?1, ?2, ?3, ?4)
       ON CONFLICT DO UPDATE SET revision = ?2, is_held = ?3, told_at = ?4`,
      assetId,
      revision,
      Number(isHeld),
      now,
    )
    facts.put('kept', this.#kept() + Number(isHeld) - (before?.is_held ?? 0))
  }

  #kept(): number {
    return this.#stored.facts.get<number>('kept') ?? 0
  }

  /** What is kept or under way, without this asset. */
  #used(assetId: string, now: number): number {
    if (!this.#stored.exists) return 0
    const { sql } = this.#stored
    const isHeld = sql.exec('SELECT 1 FROM held WHERE asset_id = ? AND is_held = 1', assetId).toArray().length
    const { n } = sql
      .exec<{ n: number }>(
        `SELECT count(DISTINCT asset_id) AS n FROM reserved WHERE until > ? AND asset_id <> ?
           AND asset_id NOT IN (SELECT asset_id FROM held WHERE is_held = 1)`,
        now,
        assetId,
      )
      .one()
    return this.#kept() - isHeld + n
  }
}

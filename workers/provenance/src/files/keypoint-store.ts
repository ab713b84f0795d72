import { reaching } from '@svc/protocol/base/dependency-fault'
import { hashHexAsync } from '@svc/protocol/base/hash'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { TakedownReason } from '@svc/protocol/operator/takedown'
import type { KeptKeypoints } from '@svc/protocol/provenance/model-files'
import { dueSql, type LooseObjects } from '@svc/service'
import { KEYPOINT_KEY_SQL, keypointKey } from '../object-keys.ts'
import type { BudgetRefusal, Full, KeptBudget } from '../quota/budget.ts'
import type { StoredFile } from './store.ts'

interface State {
  readonly upload: string | null
  readonly bytes: number | null
  readonly reason: TakedownReason | null
}

export interface Kept {
  readonly hash: string
  readonly duplicate: boolean
}
export type KeepRefusal = BudgetRefusal | { readonly reason: 'taken_down'; readonly why: TakedownReason }

/** What the smallest blob counts, as in the trigger that counts it. */
const LEAST_BYTES = 1_024
/** What the identity `?2` uses. */
const USED = `coalesce((SELECT amount FROM kept WHERE did = ?2 AND budget = 'keypointBytes'), 0)`
const PUT = `INSERT INTO keypoints (hash, did, upload, bytes, kept_at)
  SELECT ?1, ?2, coalesce((SELECT upload FROM keypoints WHERE hash = ?1 LIMIT 1), ?3), ?4, ?5
  WHERE NOT EXISTS (SELECT 1 FROM takedowns WHERE subject_id = ?1)
    AND (EXISTS (SELECT 1 FROM keypoints WHERE hash = ?1) OR EXISTS (SELECT 1 FROM loose_objects WHERE key = ?6))
    AND ${USED} + max(?4, ${LEAST_BYTES}) <= ?7
  ON CONFLICT DO NOTHING`

/** Keypoint blobs: one object for equal bytes, and a row for each identity that keeps them. */
export class KeypointStore {
  readonly #db: D1Database
  readonly #blobs: R2Bucket
  readonly #loose: LooseObjects
  readonly #budget: KeptBudget

  constructor(parts: {
    readonly db: D1Database
    readonly blobs: R2Bucket
    readonly loose: LooseObjects
    readonly budget: KeptBudget
  }) {
    this.#db = parts.db
    this.#blobs = parts.blobs
    this.#loose = parts.loose
    this.#budget = parts.budget
  }

  /** Stores a blob under its hash. Idempotent. */
  keep(blob: Uint8Array, did: string, now: number): Promise<Result<Kept, KeepRefusal>> {
    return this.#budget.within(did, 'keypointBytes', (limit) => this.#keep({ blob, did, limit }, now))
  }

  async #keep(
    wanted: { readonly blob: Uint8Array; readonly did: string; readonly limit: number },
    now: number,
  ): Promise<Result<Kept, Full | { readonly reason: 'taken_down'; readonly why: TakedownReason }>> {
    const { blob, did, limit } = wanted
    const hash = await hashHexAsync(blob)
    const known = await this.#stateOf(hash)
    if (known.reason !== null) return err({ reason: 'taken_down', why: known.reason })
    // Before anything is stored; the write holds to it again.
    const before = await this.#roomOf(hash, did)
    if (before.isMine) return ok({ hash, duplicate: true })
    const counted = Math.max(blob.length, LEAST_BYTES)
    if (before.used + counted > limit) return err({ reason: 'full', used: before.used })
    const upload = crypto.randomUUID()
    const key = keypointKey(hash, upload)
    if (known.upload === null) {
      await this.#loose.note([key], now)
      await reaching('blobs', () => this.#blobs.put(key, blob))
    }
    const put = this.#db.prepare(PUT).bind(hash, did, upload, blob.length, now, key, limit)
    const named = this.#db
      .prepare(
        'DELETE FROM loose_objects WHERE key = ? AND EXISTS (SELECT 1 FROM keypoints WHERE hash = ? AND upload = ?)',
      )
      .bind(key, hash, upload)
    const [, mine] = await reaching('database', () => this.#db.batch([put, named]))
    const isMine = mine?.meta.changes === 1
    if (known.upload === null && !isMine) await this.#loose.delete([key])
    const { reason } = await this.#stateOf(hash)
    if (reason !== null) return err({ reason: 'taken_down', why: reason })
    const after = await this.#roomOf(hash, did)
    if (after.isMine) return ok({ hash, duplicate: !isMine })
    if (after.used + counted > limit) return err({ reason: 'full', used: after.used })
    // It was deleted meanwhile, with its last row: this caller has the bytes, so it starts over.
    return this.#keep(wanted, now)
  }

  async #roomOf(hash: string, did: string): Promise<{ readonly used: number; readonly isMine: boolean }> {
    const select = this.#db
      .prepare(`SELECT ${USED} AS used, EXISTS (SELECT 1 FROM keypoints WHERE hash = ?1 AND did = ?2) AS mine`)
      .bind(hash, did)
    const row = await reaching('database', () => select.first<{ used: number; mine: number }>())
    return { used: row?.used ?? 0, isMine: row?.mine === 1 }
  }

  /** The blob, why it was taken down, or null. */
  async find(hash: string): Promise<StoredFile | { readonly why: TakedownReason } | null> {
    const { upload, bytes, reason } = await this.#stateOf(hash)
    if (reason !== null) return { why: reason }
    return upload === null || bytes === null ? null : { key: keypointKey(hash, upload), hash, bytes }
  }

  /** By hash. */
  async list(did: string, after: string, limit: number): Promise<KeptKeypoints[]> {
    const select = this.#db
      .prepare('SELECT hash, bytes, kept_at FROM keypoints WHERE did = ? AND hash > ? ORDER BY hash LIMIT ?')
      .bind(did, after, limit)
    const { results } = await reaching('database', () => select.all<{ hash: string; bytes: number; kept_at: number }>())
    return results.map(({ kept_at: keptAt, ...rest }) => ({ ...rest, keptAt }))
  }

  /** Removes one identity's row; the object goes with the last. False if there is none. */
  async remove(hash: string, did: string): Promise<boolean> {
    const dropped = `SELECT ${KEYPOINT_KEY_SQL}, 0 FROM keypoints
      WHERE hash = ?1 AND did = ?2 AND NOT EXISTS (SELECT 1 FROM keypoints WHERE hash = ?1 AND did <> ?2)`
    const [noted, removed] = await reaching('database', () =>
      this.#db.batch<{ key: string }>([
        this.#db.prepare(`${dueSql(dropped)} RETURNING key`).bind(hash, did),
        this.#db.prepare('DELETE FROM keypoints WHERE hash = ? AND did = ?').bind(hash, did),
      ]),
    )
    await this.#loose.delete((noted?.results ?? []).map(({ key }) => key))
    return (removed?.meta.changes ?? 0) > 0
  }

  async #stateOf(hash: string): Promise<State> {
    const select = this.#db
      .prepare(
        `SELECT k.upload, k.bytes, (SELECT reason FROM takedowns WHERE subject_id = ?1) AS reason
         FROM (SELECT 1) LEFT JOIN (SELECT upload, bytes FROM keypoints WHERE hash = ?1 LIMIT 1) k`,
      )
      .bind(hash)
    return (await reaching('database', () => select.first<State>())) ?? { upload: null, bytes: null, reason: null }
  }
}

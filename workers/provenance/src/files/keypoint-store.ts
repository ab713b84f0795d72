import { reaching } from '@svc/protocol/base/dependency-fault'
import { hashHexAsync } from '@svc/protocol/base/hash'
import type { TakedownReason } from '@svc/protocol/operator/takedown'
import { type KeptKeypoints, keypointKey } from '@svc/protocol/provenance/model-files'
import { dueSql, type LooseObjects } from '@svc/service'
import type { StoredFile } from './store.ts'

interface State {
  readonly upload: string | null
  readonly bytes: number | null
  readonly reason: TakedownReason | null
}

export type KeepResult =
  | { readonly kept: true; readonly hash: string; readonly duplicate: boolean }
  | { readonly kept: false; readonly why: TakedownReason }

const PUT = `INSERT INTO keypoints (hash, did, upload, bytes, kept_at)
  SELECT ?1, ?2, coalesce((SELECT upload FROM keypoints WHERE hash = ?1 LIMIT 1), ?3), ?4, ?5
  WHERE NOT EXISTS (SELECT 1 FROM takedowns WHERE subject_id = ?1)
    AND (EXISTS (SELECT 1 FROM keypoints WHERE hash = ?1) OR EXISTS (SELECT 1 FROM loose_objects WHERE key = ?6))
  ON CONFLICT DO NOTHING`

/** Keypoint blobs: one object for equal bytes, and a row for each identity that keeps them. */
export class KeypointStore {
  readonly #db: D1Database
  readonly #blobs: R2Bucket
  readonly #loose: LooseObjects

  constructor(db: D1Database, blobs: R2Bucket, loose: LooseObjects) {
    this.#db = db
    this.#blobs = blobs
    this.#loose = loose
  }

  /** Stores a blob under its hash. Idempotent. */
  async keep(blob: Uint8Array, did: string, now: number): Promise<KeepResult> {
    const hash = await hashHexAsync(blob)
    const known = await this.#stateOf(hash)
    if (known.reason !== null) return { kept: false, why: known.reason }
    const upload = crypto.randomUUID()
    const key = keypointKey(hash, upload)
    if (known.upload === null) {
      await this.#loose.note([key], now)
      await reaching('blobs', () => this.#blobs.put(key, blob))
    }
    const put = this.#db.prepare(PUT).bind(hash, did, upload, blob.length, now, key)
    const named = this.#db
      .prepare(
        'DELETE FROM loose_objects WHERE key = ? AND EXISTS (SELECT 1 FROM keypoints WHERE hash = ? AND upload = ?)',
      )
      .bind(key, hash, upload)
    const [, mine] = await reaching('database', () => this.#db.batch([put, named]))
    const isMine = mine?.meta.changes === 1
    if (known.upload === null && !isMine) await this.#loose.delete([key])
    const { upload: kept, reason } = await this.#stateOf(hash)
    if (reason !== null) return { kept: false, why: reason }
    // It was deleted meanwhile, with its last row: this caller has the bytes, so it starts over.
    return kept === null ? this.keep(blob, did, now) : { kept: true, hash, duplicate: !isMine }
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
    const dropped = `SELECT 'keypoints/' || hash || '/' || upload || '.akpb', 0 FROM keypoints
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

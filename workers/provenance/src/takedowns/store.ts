import { reaching } from '@svc/protocol/base/dependency-fault'
import type { TakedownStatement } from '@svc/protocol/operator/takedown'
import { KEYPOINT_KEY_SQL } from '../object-keys.ts'

/** Of assets in one run; each is some three subrequests. */
const MAX_SWEPT = 50

/** Takedowns in D1, and the objects that are still to be deleted for them. */
export class TakedownStore {
  readonly #db: D1Database
  readonly #blobs: R2Bucket

  constructor(db: D1Database, blobs: R2Bucket) {
    this.#db = db
    this.#blobs = blobs
  }

  /**
   * One transaction: records the takedown, notes the objects, and deletes every row of the asset, which ends searches and
   * reads. Returns whether the asset is taken down afterwards; false if it never was registered, here or, as `isKnown` says,
   * as a capsule.
   */
  async record(
    { subject: { kind, id }, reason, nonce }: TakedownStatement,
    { operator, isKnown }: { readonly operator: string; readonly isKnown: boolean },
    now: number,
  ): Promise<boolean> {
    const known = `SELECT body_key FROM text_assets WHERE asset_id = ?1
      UNION SELECT body_key FROM vector_sets WHERE asset_id = ?1
      UNION SELECT ${KEYPOINT_KEY_SQL} FROM keypoints WHERE hash = ?1`
    const del = (table: string) => this.#db.prepare(`DELETE FROM ${table} WHERE asset_id = ?`).bind(id)
    const found = await reaching('takedowns', () =>
      this.#db.batch([
        this.#db
          .prepare(
            `INSERT INTO takedowns (subject_id, kind, reason, operator, nonce, taken_down_at)
             SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE ?7 OR EXISTS (${known}) ON CONFLICT DO NOTHING`,
          )
          .bind(id, kind, reason, operator, nonce, now, Number(isKnown)),
        this.#db
          .prepare(`INSERT INTO takedown_blobs (asset_id, body_key) SELECT ?1, body_key FROM (${known}) WHERE true
            ON CONFLICT DO NOTHING`)
          .bind(id),
        del('text_assets'),
        del('text_claimants'),
        del('vector_sets'),
        this.#db.prepare('DELETE FROM keypoints WHERE hash = ?').bind(id),
        this.#db.prepare('SELECT 1 AS one FROM takedowns WHERE subject_id = ?').bind(id),
      ]),
    )
    return (found.at(-1)?.results.length ?? 0) > 0
  }

  /** Completes takedowns whose objects could not be deleted, as many as one run can. */
  async sweep(): Promise<void> {
    const select = this.#db.prepare('SELECT DISTINCT asset_id FROM takedown_blobs LIMIT ?').bind(MAX_SWEPT)
    const { results } = await reaching('takedowns', () => select.all<{ asset_id: string }>())
    for (const { asset_id } of results) await this.deleteBlobs(asset_id)
  }

  /** Deletes the objects that were noted for an asset, except those that other assets name. Idempotent. */
  async deleteBlobs(assetId: string): Promise<void> {
    const select = this.#db
      .prepare(
        `SELECT body_key FROM takedown_blobs b WHERE asset_id = ?
           AND NOT EXISTS (SELECT 1 FROM vector_sets s WHERE s.body_key = b.body_key)`,
      )
      .bind(assetId)
    const { results } = await reaching('takedowns', () => select.all<{ body_key: string }>())
    // R2 deletes up to a thousand keys at once.
    for (let from = 0; from < results.length; from += 1_000) {
      const keys = results.slice(from, from + 1_000).map(({ body_key }) => body_key)
      await reaching('blobs', () => this.#blobs.delete(keys))
    }
    const forget = this.#db.prepare('DELETE FROM takedown_blobs WHERE asset_id = ?').bind(assetId)
    await reaching('takedowns', () => forget.run())
  }
}

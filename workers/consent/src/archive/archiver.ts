import type { ObjectStorage } from '@svc/objects'
import { createObject } from '@svc/objects/create-object'
import { toHex } from '@svc/protocol/base/hash'
import { segmentKey } from '../object-keys.ts'
import { placeOf, rowsOf, SEGMENT_ACTS, segmentBytes } from './segment.ts'

/** The newest signatures of a bucket stay in the store: most reads are of them. */
const KEPT_ACTS = SEGMENT_ACTS

type Kept = { actHash: ArrayBuffer; signature: ArrayBuffer }

/**
 * Moves the oldest signatures of a bucket to R2, 256 at a time. The segment is there before a row is dropped, and is never
 * written again: a store that finds one which it lacks drops what it has of that one.
 */
export class Archiver {
  readonly #stored: ObjectStorage
  readonly #bucket: R2Bucket

  constructor(stored: ObjectStorage, bucket: R2Bucket) {
    this.#stored = stored
    this.#bucket = bucket
  }

  /** All buckets of the store that have enough. One that fails holds back no other. */
  async archiveAll(): Promise<void> {
    const faults: unknown[] = []
    for (const bucket of this.#buckets()) {
      try {
        while (await this.archive(bucket));
      } catch (error) {
        faults.push(error)
      }
    }
    if (faults.length > 0) throw faults[0]
  }

  /** One segment; false if there is none to write. Idempotent. */
  async archive(bucket: number): Promise<boolean> {
    if (!this.#stored.exists) return false
    const segment = this.#segmentsOf(bucket)
    const oldest = this.#oldest(bucket)
    if (oldest.length < SEGMENT_ACTS) return false
    const rows = oldest.map(({ actHash, signature }) => ({
      actHash: new Uint8Array(actHash),
      signature: new Uint8Array(signature),
    }))
    const key = segmentKey(bucket, segment)
    const isWritten = await createObject(this.#bucket, key, segmentBytes(rows))
    const archived = isWritten ? rows : await this.#read(key)
    return this.#stored.transact(() => {
      // Another call may have been faster.
      if (this.#segmentsOf(bucket) !== segment) return false
      const acts = this.#actsByHash(bucket)
      for (const [row, { actHash }] of archived.entries()) this.#drop(acts.get(toHex(actHash)), placeOf(segment, row))
      this.#stored.sql.exec('INSERT OR REPLACE INTO archived (bucket, segments) VALUES (?, ?)', bucket, segment + 1)
      return true
    })
  }

  /** Those with enough signatures. */
  #buckets(): number[] {
    if (!this.#stored.exists) return []
    return this.#stored.sql
      .exec<{ bucket: number }>(
        'SELECT bucket FROM signatures GROUP BY bucket HAVING count(*) >= ? ORDER BY bucket',
        SEGMENT_ACTS + KEPT_ACTS,
      )
      .toArray()
      .map(({ bucket }) => bucket)
  }

  #segmentsOf(bucket: number): number {
    const select = 'SELECT segments FROM archived WHERE bucket = ?'
    return this.#stored.sql.exec<{ segments: number }>(select, bucket).toArray()[0]?.segments ?? 0
  }

  /** The oldest signatures of the bucket, if enough newer ones stay. */
  #oldest(bucket: number): Kept[] {
    const { sql } = this.#stored
    const last = sql.exec(
      'SELECT act FROM signatures WHERE bucket = ? ORDER BY act LIMIT 1 OFFSET ?',
      bucket,
      SEGMENT_ACTS + KEPT_ACTS - 1,
    )
    if (last.toArray().length === 0) return []
    return sql
      .exec<Kept>(
        `SELECT a.act_hash AS actHash, s.signature FROM signatures s JOIN acts a ON a.id = s.act
         WHERE s.bucket = ? ORDER BY s.act LIMIT ?`,
        bucket,
        SEGMENT_ACTS,
      )
      .toArray()
  }

  async #read(key: string) {
    const object = await this.#bucket.get(key)
    const rows = object ? rowsOf(new Uint8Array(await object.arrayBuffer())) : []
    if (rows.length !== SEGMENT_ACTS) throw new Error(`${key} is not a segment`)
    return rows
  }

  #actsByHash(bucket: number): ReadonlyMap<string, number> {
    const rows = this.#stored.sql.exec<{ act: number; actHash: ArrayBuffer }>(
      'SELECT s.act, a.act_hash AS actHash FROM signatures s JOIN acts a ON a.id = s.act WHERE s.bucket = ?',
      bucket,
    )
    return new Map(rows.toArray().map(({ act, actHash }) => [toHex(new Uint8Array(actHash)), act]))
  }

  /** Undefined for an act that was archived and then undone by a restore of the store. */
  #drop(act: number | undefined, place: number): void {
    if (act === undefined) return
    this.#stored.sql.exec('UPDATE acts SET place = ? WHERE id = ?', place, act)
    this.#stored.sql.exec('DELETE FROM signatures WHERE act = ?', act)
  }
}

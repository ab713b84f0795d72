import type { ObjectStorage } from '@svc/objects'
import { firstBucketsOf, type Placement } from '../placement/stores.ts'
import { CONSENT_STORE } from './schema.ts'

/**
 * `open`: reads and writes. `sealed`: reads alone, for the last step of a move. `given`: another store has it. `incoming`:
 * it is being copied here, and answers nothing.
 */
export type BucketState = 'open' | 'sealed' | 'given' | 'incoming'

/** The store does not answer for the bucket. `version` is the newest placement that it knows, `heir` who got it then. */
export interface NotHere {
  readonly reason: 'not_here'
  readonly bucket: number
  readonly version: number
  readonly heir: string | null
}
/** The bucket is about to move: the write was not made, and can be sent again in a second. */
export interface Sealed {
  readonly reason: 'sealed'
  readonly bucket: number
}
export type Misplaced = NotHere | Sealed

export interface OwnedRow {
  readonly bucket: number
  readonly state: BucketState
  readonly version: number
  readonly heir: string | null
}

/**
 * Which buckets this store has. Every transaction asks here first, so that a bucket has one writer whatever callers believe.
 * A store without tables has what it had from the start, and reading it makes none.
 */
export class Ownership {
  readonly #stored: ObjectStorage
  readonly #name: string

  constructor(stored: ObjectStorage, name: string) {
    this.#stored = stored
    this.#name = name
  }

  /** Inside the transaction of the first write. */
  create(): void {
    if (this.#stored.exists) return
    this.#stored.create(CONSENT_STORE)
    const { from, to } = firstBucketsOf(this.#name)
    this.#stored.sql.exec(
      `WITH RECURSIVE n(bucket) AS (SELECT ?1 WHERE ?1 < ?2 UNION ALL SELECT bucket + 1 FROM n WHERE bucket + 1 < ?2)
       INSERT INTO owned (bucket, state, version) SELECT bucket, 'open', 0 FROM n`,
      from,
      to,
    )
  }

  of(bucket: number): OwnedRow | null {
    if (!this.#stored.exists) {
      const { from, to } = firstBucketsOf(this.#name)
      return bucket >= from && bucket < to ? { bucket, state: 'open', version: 0, heir: null } : null
    }
    const select = 'SELECT bucket, state, version, heir FROM owned WHERE bucket = ?'
    return this.#stored.sql.exec<Row>(select, bucket).toArray()[0] ?? null
  }

  /** Gives up a bucket that is placed elsewhere, if this store does not know that yet. */
  concede({ bucket, store, version }: Placement): void {
    const owned = store === this.#name ? null : this.of(bucket)
    if (owned && owned.version < version) this.set({ bucket, state: 'given', version, heir: store })
  }

  /** How many segments of the bucket are archived. */
  segmentsOf(bucket: number): number {
    const select = 'SELECT segments FROM owned WHERE bucket = ?'
    return this.#stored.sql.exec<{ segments: number }>(select, bucket).toArray()[0]?.segments ?? 0
  }

  setSegments(bucket: number, segments: number): void {
    this.#stored.sql.exec('UPDATE owned SET segments = ? WHERE bucket = ?', segments, bucket)
  }

  /** All buckets that it may answer for, in order. */
  answered(): number[] {
    if (!this.#stored.exists) {
      const { from, to } = firstBucketsOf(this.#name)
      return Array.from({ length: to - from }, (_, i) => from + i)
    }
    return this.#stored.sql
      .exec<{ bucket: number }>("SELECT bucket FROM owned WHERE state IN ('open', 'sealed') ORDER BY bucket")
      .toArray()
      .map(({ bucket }) => bucket)
  }

  /** Null if the store may answer for the bucket. */
  refusesRead(bucket: number): NotHere | null {
    const row = this.of(bucket)
    if (row?.state === 'open' || row?.state === 'sealed') return null
    return { reason: 'not_here', bucket, version: row?.version ?? 0, heir: row?.heir ?? null }
  }

  /** Null if the store may write to the bucket. */
  refusesWrite(bucket: number): Misplaced | null {
    return this.of(bucket)?.state === 'sealed' ? { reason: 'sealed', bucket } : this.refusesRead(bucket)
  }

  /** The bucket has this state from now on; `version` and `heir` are those of the placement that brought it. */
  set({ bucket, state, version, heir }: OwnedRow): void {
    this.#stored.sql.exec(
      `INSERT INTO owned (bucket, state, version, heir) VALUES (?1, ?2, ?3, ?4)
       ON CONFLICT (bucket) DO UPDATE SET state = ?2, version = ?3, heir = ?4`,
      bucket,
      state,
      version,
      heir,
    )
  }
}

type Row = { bucket: number; state: BucketState; version: number; heir: string | null }

import { reaching } from '@svc/protocol/base/dependency-fault'
import type { ContentTakedown, TakedownReason } from '@svc/protocol/operator/takedown'
import { dueSql, type LooseObjects } from '@svc/service'
import { cachePrefix, OBJECT_PREFIXES, pinPrefix, uploadPrefix } from '../object-keys.ts'

export interface Pin {
  readonly cid: string
  readonly name: string | null
  readonly provider: 'object-store' | 'external-http'
  readonly status: 'pinned' | 'queued' | 'pinning' | 'failed'
  readonly bytes: number | null
  /** The pinning service's id of the request. */
  readonly requestId: string | null
  readonly pinnedAt: number
}

interface Row {
  cid: string
  name: string | null
  provider: Pin['provider']
  status: Pin['status']
  bytes: number | null
  request_id: string | null
  pinned_at: number
}

/** Pins per identity; each keeps at most 64 MiB. */
export const MAX_PINS = 1_000

const COLUMNS = 'cid, name, provider, status, bytes, request_id, pinned_at'
const IS_ALLOWED = `NOT EXISTS (SELECT 1 FROM takedowns WHERE subject_id = ?2)
  AND (SELECT count(*) FROM pins WHERE did = ?1 AND cid <> ?2) < ?3`

/** Who has pinned what, and what was taken down, in D1. */
export class PinStore {
  readonly #db: D1Database
  readonly #loose: LooseObjects

  constructor(db: D1Database, loose: LooseObjects) {
    this.#db = db
    this.#loose = loose
  }

  /** The upload that has the blocks of pinned content, and why content was taken down. */
  async stateOf(cid: string): Promise<{ readonly upload: string | null; readonly reason: TakedownReason | null }> {
    const select = this.#db
      .prepare(
        `SELECT (SELECT upload FROM pins WHERE cid = ?1 AND upload IS NOT NULL LIMIT 1) AS upload,
           (SELECT reason FROM takedowns WHERE subject_id = ?1) AS reason`,
      )
      .bind(cid)
    const row = await reaching('pins', () => select.first<{ upload: string | null; reason: TakedownReason | null }>())
    return row ?? { upload: null, reason: null }
  }

  async find(did: string, cid: string): Promise<Pin | null> {
    const statement = this.#db.prepare(`SELECT ${COLUMNS} FROM pins WHERE did = ? AND cid = ?`).bind(did, cid)
    const row = await reaching('pins', () => statement.first<Row>())
    return row && pinOf(row)
  }

  /** By CID. */
  async list(did: string, after: string, limit: number): Promise<Pin[]> {
    const statement = this.#db
      .prepare(`SELECT ${COLUMNS} FROM pins WHERE did = ? AND cid > ? ORDER BY cid LIMIT ?`)
      .bind(did, after, limit)
    const { results } = await reaching('pins', () => statement.all<Row>())
    return results.map(pinOf)
  }

  async cids(did: string): Promise<string[]> {
    const statement = this.#db.prepare('SELECT cid FROM pins WHERE did = ?').bind(did)
    const { results } = await reaching('pins', () => statement.all<{ cid: string }>())
    return results.map(({ cid }) => cid)
  }

  /** The size of content that a pin keeps already; null if none does. */
  async sharedBytes(cid: string): Promise<number | null> {
    const statement = this.#db.prepare('SELECT bytes FROM pins WHERE cid = ? AND upload IS NOT NULL LIMIT 1').bind(cid)
    return (await reaching('pins', () => statement.first<{ bytes: number }>()))?.bytes ?? null
  }

  async count(did: string): Promise<number> {
    const statement = this.#db.prepare('SELECT count(*) AS n FROM pins WHERE did = ?').bind(did)
    return (await reaching('pins', () => statement.first<{ n: number }>()))?.n ?? 0
  }

  /** A pin of content that another pin keeps already. Null if none does, or if it may not be pinned. */
  async share(did: string, { cid, name, pinnedAt }: Pick<Pin, 'cid' | 'name' | 'pinnedAt'>): Promise<Pin | null> {
    const insert = this.#db
      .prepare(
        `INSERT INTO pins (did, cid, name, provider, status, bytes, request_id, upload, pinned_at)
         SELECT ?1, ?2, ?4, 'object-store', 'pinned', bytes, NULL, upload, ?5 FROM pins
         WHERE cid = ?2 AND upload IS NOT NULL AND ${IS_ALLOWED} LIMIT 1
         ON CONFLICT (did, cid) DO UPDATE SET name = ?4, provider = 'object-store', status = 'pinned',
           bytes = excluded.bytes, request_id = NULL, upload = excluded.upload
         RETURNING ${COLUMNS}`,
      )
      .bind(did, cid, MAX_PINS, name, pinnedAt)
    const row = await reaching('pins', () => insert.first<Row>())
    return row && pinOf(row)
  }

  /**
   * A pin with blocks of its own, in an upload that was noted as loose. If another upload came first, the pin shares that
   * one. Returns false and writes nothing if it would exceed the limit, was taken down, or the upload has been swept.
   */
  async put(did: string, pin: Pin, upload: string): Promise<boolean> {
    const { cid, name, bytes, pinnedAt } = pin
    const key = uploadPrefix({ name: cid }, upload)
    const insert = this.#db
      .prepare(
        `INSERT INTO pins (did, cid, name, provider, status, bytes, upload, pinned_at)
         SELECT ?1, ?2, ?4, 'object-store', 'pinned', ?5,
           coalesce((SELECT upload FROM pins WHERE cid = ?2 AND upload IS NOT NULL LIMIT 1), ?6), ?7
         WHERE EXISTS (SELECT 1 FROM loose_objects WHERE key = ?8) AND ${IS_ALLOWED}
         ON CONFLICT (did, cid) DO UPDATE SET name = ?4, provider = 'object-store', status = 'pinned', bytes = ?5,
           request_id = NULL, upload = excluded.upload`,
      )
      .bind(did, cid, MAX_PINS, name, bytes, upload, pinnedAt, key)
    const named = this.#db
      .prepare('DELETE FROM loose_objects WHERE key = ? AND EXISTS (SELECT 1 FROM pins WHERE cid = ? AND upload = ?)')
      .bind(key, cid, upload)
    const [inserted, kept] = await reaching('pins', () => this.#db.batch([insert, named]))
    if (kept?.meta.changes === 0) await this.#loose.delete([key])
    return (inserted?.meta.changes ?? 0) > 0
  }

  /** A pin at a pinning service. Returns false and writes nothing if it would exceed the limit, or was taken down. */
  async putDelegated(did: string, pin: Pin): Promise<boolean> {
    const statement = this.#db
      .prepare(
        `INSERT INTO pins (did, cid, name, provider, status, bytes, request_id, pinned_at)
         SELECT ?1, ?2, ?4, ?5, ?6, ?7, ?8, ?9 WHERE ${IS_ALLOWED}
         ON CONFLICT (did, cid) DO UPDATE SET name = ?4, provider = ?5, status = ?6, bytes = ?7, request_id = ?8`,
      )
      .bind(did, pin.cid, MAX_PINS, pin.name, pin.provider, pin.status, pin.bytes, pin.requestId, pin.pinnedAt)
    const { meta } = await reaching('pins', () => statement.run())
    return meta.changes > 0
  }

  /** Removes a pin; its blocks go with the last pin that shares them. */
  async remove(did: string, cid: string): Promise<void> {
    const dropped = `SELECT '${OBJECT_PREFIXES.pins}' || cid || '/' || upload || '/', 0 FROM pins p
      WHERE did = ?1 AND cid = ?2 AND upload IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM pins o WHERE o.cid = p.cid AND o.upload = p.upload AND o.did <> p.did)`
    const [noted] = await reaching('pins', () =>
      this.#db.batch<{ key: string }>([
        this.#db.prepare(`${dueSql(dropped)} RETURNING key`).bind(did, cid),
        this.#db.prepare('DELETE FROM pins WHERE did = ? AND cid = ?').bind(did, cid),
      ]),
    )
    await this.#loose.delete((noted?.results ?? []).map(({ key }) => key))
  }

  /** The requests at a pinning service that keep this content. */
  async requestsFor(cid: string): Promise<string[]> {
    const select = this.#db.prepare('SELECT request_id FROM pins WHERE cid = ? AND request_id IS NOT NULL').bind(cid)
    const { results } = await reaching('pins', () => select.all<{ request_id: string }>())
    return results.map(({ request_id }) => request_id)
  }

  /** Refuses content from now on. The rows of its pins stay until `dropAll`. */
  async recordTakedown({ subject, reason, nonce }: ContentTakedown, operator: string, now: number): Promise<void> {
    const insert = this.#db
      .prepare(
        `INSERT INTO takedowns (kind, subject_id, reason, operator, nonce, taken_down_at) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT DO NOTHING`,
      )
      .bind(subject.kind, subject.id, reason, operator, nonce, now)
    await reaching('takedowns', () => insert.run())
  }

  /** Every pin of this content, and every stored byte of it, pinned or cached. Idempotent. */
  async dropAll(cid: string): Promise<void> {
    const keys = [pinPrefix({ name: cid }), cachePrefix({ name: cid })]
    await reaching('pins', () =>
      this.#db.batch([
        this.#db.prepare(dueSql('SELECT value, 0 FROM json_each(?) WHERE true')).bind(JSON.stringify(keys)),
        this.#db.prepare('DELETE FROM pins WHERE cid = ?').bind(cid),
      ]),
    )
    await this.#loose.delete(keys)
  }
}

function pinOf({ request_id: requestId, pinned_at: pinnedAt, ...pin }: Row): Pin {
  return { ...pin, requestId, pinnedAt }
}

import { reaching } from '@svc/protocol/base/dependency-fault'

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

/** Who has pinned what, in D1. */
export class PinStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  async find(did: string, cid: string): Promise<Pin | null> {
    const statement = this.#db
      .prepare('SELECT cid, name, provider, status, bytes, request_id, pinned_at FROM pins WHERE did = ? AND cid = ?')
      .bind(did, cid)
    const row = await reaching('pins', () => statement.first<Row>())
    if (!row) return null
    const { request_id: requestId, pinned_at: pinnedAt, ...pin } = row
    return { ...pin, requestId, pinnedAt }
  }

  async count(did: string): Promise<number> {
    const statement = this.#db.prepare('SELECT count(*) AS n FROM pins WHERE did = ?').bind(did)
    return (await reaching('pins', () => statement.first<{ n: number }>()))?.n ?? 0
  }

  /** Returns false and writes nothing if it would exceed the limit. */
  async put(did: string, pin: Pin): Promise<boolean> {
    const statement = this.#db
      .prepare(
        `INSERT INTO pins (did, cid, name, provider, status, bytes, request_id, pinned_at)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8
         WHERE (SELECT count(*) FROM pins WHERE did = ?1 AND cid <> ?2) < ?9
         ON CONFLICT (did, cid) DO UPDATE SET name = ?3, provider = ?4, status = ?5, bytes = ?6, request_id = ?7`,
      )
      .bind(did, pin.cid, pin.name, pin.provider, pin.status, pin.bytes, pin.requestId, pin.pinnedAt, MAX_PINS)
    const { meta } = await reaching('pins', () => statement.run())
    return meta.changes > 0
  }
}

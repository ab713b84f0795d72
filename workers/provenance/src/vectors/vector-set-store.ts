import { reaching } from '@svc/protocol/dependency-fault'
import { hashHex } from '@svc/protocol/hash'
import type { VectorService } from '@svc/protocol/vector-services'
import { decodeVectorSet, encodeVectorSet, type VectorSet } from './vector-set.ts'

export interface VectorSetRow {
  readonly id: number
  readonly service: VectorService
  readonly assetId: string
  /** Empty for a text. */
  readonly did: string
  readonly bodyKey: string
}

interface Row {
  id: number
  service: VectorService
  asset_id: string
  did: string
  body_key: string
}

const COLUMNS = 'id, service, asset_id, did, body_key'

/** Vectors: the bytes in R2 under their hash, one row for each set in D1. What the index holds is made from these. */
export class VectorSetStore {
  readonly #db: D1Database
  readonly #blobs: R2Bucket

  constructor(db: D1Database, blobs: R2Bucket) {
    this.#db = db
    this.#blobs = blobs
  }

  /** Keeps the bytes, of which nobody hears before a row names them. The same vectors have the same key. */
  async keep(set: VectorSet): Promise<string> {
    const body = encodeVectorSet(set)
    const key = `vectors/${hashHex(body)}`
    await reaching('blobs', () => this.#blobs.put(key, body))
    return key
  }

  /** Null when they are not there, or are not what their key says. */
  async read(key: string): Promise<VectorSet | null> {
    const bytes = await reaching('blobs', async () => (await this.#blobs.get(key))?.bytes())
    return bytes && `vectors/${hashHex(bytes)}` === key ? decodeVectorSet(bytes) : null
  }

  /** One transaction. A row of an earlier registration stays. */
  async insert(sets: readonly Omit<VectorSetRow, 'id'>[]): Promise<void> {
    const insert = this.#db.prepare(
      'INSERT INTO vector_sets (service, asset_id, did, body_key) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
    )
    const rows = sets.map(({ service, assetId, did, bodyKey }) => insert.bind(service, assetId, did, bodyKey))
    await reaching('database', () => this.#db.batch(rows))
  }

  /** Sets of an asset that are not known to be in the index. */
  async unindexed(assetId: string, did: string): Promise<VectorSetRow[]> {
    const select = this.#db
      .prepare(`SELECT ${COLUMNS} FROM vector_sets WHERE asset_id = ? AND did = ? AND indexed_at IS NULL ORDER BY id`)
      .bind(assetId, did)
    return rowsOf(await reaching('database', () => select.all<Row>()))
  }

  async markIndexed(id: number, now: number): Promise<void> {
    const update = this.#db.prepare('UPDATE vector_sets SET indexed_at = ? WHERE id = ?').bind(now, id)
    await reaching('database', () => update.run())
  }

  async find(service: VectorService, ids: readonly number[]): Promise<VectorSetRow[]> {
    const select = this.#db
      .prepare(
        `SELECT ${COLUMNS} FROM vector_sets WHERE service = ?1 AND id IN (SELECT value FROM json_each(?2)) ORDER BY id`,
      )
      .bind(service, JSON.stringify(ids))
    return rowsOf(await reaching('database', () => select.all<Row>()))
  }

  /** The sets after one, in the order of their numbers. */
  async page(service: VectorService, after: number, limit: number): Promise<VectorSetRow[]> {
    const select = this.#db
      .prepare(`SELECT ${COLUMNS} FROM vector_sets WHERE service = ? AND id > ? ORDER BY id LIMIT ?`)
      .bind(service, after, limit)
    return rowsOf(await reaching('database', () => select.all<Row>()))
  }
}

function rowsOf({ results }: D1Result<Row>): VectorSetRow[] {
  return results.map(({ id, service, asset_id, did, body_key }) => ({
    id,
    service,
    assetId: asset_id,
    did,
    bodyKey: body_key,
  }))
}

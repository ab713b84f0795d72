import { reaching } from '@svc/protocol/base/dependency-fault'
import { hashHexAsync } from '@svc/protocol/base/hash'
import type { VectorService } from '@svc/protocol/provenance/vector-services'
import { dueSql, type LooseObjects } from '@svc/service'
import { hashedPrefix, newKey } from '../object-keys.ts'
import { decodeVectorSet, encodeVectorSet, type VectorSet } from './set.ts'

export interface VectorSetRow {
  readonly id: number
  readonly service: VectorService
  readonly assetId: string
  /** Empty for a text. */
  readonly did: string
  readonly bodyKey: string
}

export type NewVectorSet = Pick<VectorSetRow, 'service' | 'bodyKey'>

/** A registered capsule. After a deletion, the next registration of the asset by the same identity has a later position. */
export interface Registration {
  readonly assetId: string
  readonly did: string
  readonly position: number
}

interface Row {
  id: number
  service: VectorService
  asset_id: string
  did: string
  body_key: string
}

/** Vectorize shows a write after seconds, or minutes under load. */
const CHECKED_AFTER_MS = 600_000

const COLUMNS = 'id, service, asset_id, did, body_key'

/** Vector sets: the bytes in R2 under their hash and a name of their own, one row per set in D1. The index is built from these. */
export class VectorSetStore {
  readonly #db: D1Database
  readonly #blobs: R2Bucket

  readonly #loose: LooseObjects

  constructor(db: D1Database, blobs: R2Bucket, loose: LooseObjects) {
    this.#db = db
    this.#blobs = blobs
    this.#loose = loose
  }

  /** Stores the bytes, which stay invisible until a row names them, and are deleted if none does. */
  async keep(set: VectorSet, now: number): Promise<string> {
    const body = encodeVectorSet(set)
    const key = newKey('vectors', await hashHexAsync(body))
    await this.#loose.note([key], now)
    await reaching('blobs', () => this.#blobs.put(key, body))
    return key
  }

  /** Null if they are missing or do not match their key. */
  async read(key: string): Promise<VectorSet | null> {
    const bytes = await reaching('blobs', async () => (await this.#blobs.get(key))?.bytes())
    return bytes && key.startsWith(hashedPrefix('vectors', await hashHexAsync(bytes))) ? decodeVectorSet(bytes) : null
  }

  /** The services for which a registration has vectors. */
  async servicesOf({ assetId, did, position }: Registration): Promise<VectorService[]> {
    const select = this.#db
      .prepare('SELECT service FROM vector_sets WHERE asset_id = ? AND did = ? AND position = ?')
      .bind(assetId, did, position)
    const { results } = await reaching('database', () => select.all<{ service: VectorService }>())
    return results.map(({ service }) => service)
  }

  /**
   * One transaction. Keeps the rows of an earlier call, and deletes those of earlier registrations and the bytes that no row names then. What
   * was taken down gets none.
   */
  async insert({ assetId, did, position }: Registration, sets: readonly NewVectorSet[]): Promise<void> {
    const insert = this.#db.prepare(
      `INSERT INTO vector_sets (asset_id, did, position, service, body_key)
       SELECT ?1, ?2, ?3, ?4, ?5 WHERE NOT EXISTS (SELECT 1 FROM takedowns WHERE subject_id = ?1) ON CONFLICT DO NOTHING`,
    )
    const named = this.#db.prepare(
      'DELETE FROM loose_objects WHERE key = ?1 AND EXISTS (SELECT 1 FROM vector_sets WHERE body_key = ?1)',
    )
    const earlier = this.#removing(assetId, did, position - 1)
    const [due, , ...done] = await reaching('database', () =>
      this.#db.batch<{ key: string }>([
        ...earlier,
        ...sets.map(({ service, bodyKey }) => insert.bind(assetId, did, position, service, bodyKey)),
        ...sets.map(({ bodyKey }) => named.bind(bodyKey)),
      ]),
    )
    const unnamed = sets.filter((_, i) => done[sets.length + i]?.meta.changes === 0)
    await this.#loose.delete([...keysOf(due), ...unnamed.map(({ bodyKey }) => bodyKey)])
  }

  /** One transaction: deletes the vectors of a registration that is deleted, and of those before it. Idempotent. */
  async removeUpTo(assetId: string, did: string, position: number): Promise<void> {
    const [due] = await reaching('database', () =>
      this.#db.batch<{ key: string }>(this.#removing(assetId, did, position)),
    )
    await this.#loose.delete(keysOf(due))
  }

  /** The first one returns the keys of the bytes that no row names afterwards. */
  #removing(assetId: string, did: string, position: number): [D1PreparedStatement, D1PreparedStatement] {
    const gone = 'FROM vector_sets WHERE asset_id = ?1 AND did = ?2 AND position <= ?3'
    const bound = (sql: string) => this.#db.prepare(sql).bind(assetId, did, position)
    return [bound(`${dueSql(`SELECT body_key, 0 ${gone}`)} RETURNING key`), bound(`DELETE ${gone}`)]
  }

  /** The sets of an asset that are not known to be in the index. */
  async unindexed(assetId: string, did: string): Promise<VectorSetRow[]> {
    const select = this.#db
      .prepare(`SELECT ${COLUMNS} FROM vector_sets WHERE asset_id = ? AND did = ? AND indexed_at IS NULL ORDER BY id`)
      .bind(assetId, did)
    return rowsOf(await reaching('database', () => select.all<Row>()))
  }

  /**
   * Before a set goes to the index, so that its deletion notes what to take out, and where. Returns the generation:
   * the newest, or the one that it was announced to before. Null if it is deleted already.
   */
  async announce(id: number, vectors: number, newest: number): Promise<number | null> {
    const update = this.#db
      .prepare(
        `UPDATE vector_sets SET indexed_vectors = ?2, generation = coalesce(generation, ?3) WHERE id = ?1
         RETURNING generation`,
      )
      .bind(id, vectors, newest)
    return reaching('database', () => update.first<number>('generation'))
  }

  /** The index has accepted the set, which is looked for again later. */
  async markIndexed(id: number, now: number): Promise<void> {
    const update = this.#db
      .prepare('UPDATE vector_sets SET indexed_at = ?, check_at = ? WHERE id = ?')
      .bind(now, now + CHECKED_AFTER_MS, id)
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

  /** The sets after `after`, by number. */
  async page(service: VectorService, after: number, limit: number): Promise<VectorSetRow[]> {
    const select = this.#db
      .prepare(`SELECT ${COLUMNS} FROM vector_sets WHERE service = ? AND id > ? ORDER BY id LIMIT ?`)
      .bind(service, after, limit)
    return rowsOf(await reaching('database', () => select.all<Row>()))
  }
}

function keysOf(due: D1Result<{ key: string }> | undefined): string[] {
  return (due?.results ?? []).map(({ key }) => key)
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

import { reaching } from '@svc/protocol/base/dependency-fault'
import { MAX_INVENTORY, MIGRATION_SUNSET, type PrekeyInventory } from '@svc/protocol/keys/capabilities'
import { SWEPT_AT_ONCE, sweepRows } from '../upkeep/sweep.ts'

type InventoryKey = Pick<PrekeyInventory['keys'][number], 'keyId' | 'keyHash'>

/** The keys that an earlier system held, by name and hash. No key material is stored, and nothing is served. */
export class InventoryStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  /** Existing entries stay as they are. Returns false if not all of them fit. */
  async add(did: string, keys: readonly InventoryKey[], now: number): Promise<boolean> {
    const insert = this.#db
      .prepare(
        `INSERT INTO prekey_inventory (did, key_id, key_hash, recorded_at)
         SELECT ?1, value ->> 'keyId', value ->> 'keyHash', ?3 FROM json_each(?2)
         WHERE (SELECT count(*) FROM prekey_inventory WHERE did = ?1) + ?4 <= ?5
         ON CONFLICT DO NOTHING`,
      )
      .bind(did, JSON.stringify(keys), now, keys.length, MAX_INVENTORY)
    const missing = this.#db
      .prepare(
        `SELECT 1 AS one FROM json_each(?2) WHERE value ->> 'keyId' NOT IN
           (SELECT key_id FROM prekey_inventory WHERE did = ?1) LIMIT 1`,
      )
      .bind(did, JSON.stringify(keys))
    const [, left] = await reaching('inventory', () => this.#db.batch([insert, missing]))
    return left?.results.length === 0
  }

  /** Of an identity that was deactivated. */
  async forget(did: string): Promise<void> {
    const keys = this.#db.prepare('DELETE FROM prekey_inventory WHERE did = ?').bind(did)
    await reaching('inventory', () => keys.run())
  }

  /** Deletes everything once the routes that read it have ended. */
  async sweep(now: number): Promise<void> {
    if (now < Date.parse(MIGRATION_SUNSET)) return
    await sweepRows(
      this.#db
        .prepare('DELETE FROM prekey_inventory WHERE rowid IN (SELECT rowid FROM prekey_inventory LIMIT ?)')
        .bind(SWEPT_AT_ONCE),
    )
  }

  async list(did: string): Promise<PrekeyInventory['keys']> {
    const list = this.#db
      .prepare('SELECT key_id, key_hash, recorded_at FROM prekey_inventory WHERE did = ? ORDER BY key_id')
      .bind(did)
    const { results } = await reaching('inventory', () =>
      list.all<{ key_id: string; key_hash: string; recorded_at: number }>(),
    )
    return results.map((row) => ({ keyId: row.key_id, keyHash: row.key_hash, recordedAt: row.recorded_at }))
  }
}

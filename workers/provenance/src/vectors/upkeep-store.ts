import { reaching } from '@svc/protocol/base/dependency-fault'
import type { VectorService } from '@svc/protocol/provenance/vector-services'
import type { PlacedSet } from './generations.ts'
import type { VectorSetRow } from './set-store.ts'

export interface SetToCheck extends VectorSetRow {
  /** How many were accepted, by a generation of the index; null if none were. */
  readonly indexed: { readonly vectors: number; readonly generation: number } | null
}
export interface Removal extends PlacedSet {
  /** When the index was first told; null if it was not yet. */
  readonly removedAt: number | null
}

type CheckedRow = VectorSetRow & { readonly vectors: number | null; readonly generation: number | null }

/** What is still to be looked for in an index, or to be taken out of it. Those that wait longest come first. */
export class UpkeepStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  async toCheck(service: VectorService, now: number, limit: number): Promise<SetToCheck[]> {
    const select = this.#db
      .prepare(
        `SELECT id, service, asset_id AS assetId, did, body_key AS bodyKey,
           CASE WHEN indexed_at IS NOT NULL THEN indexed_vectors END AS vectors, generation
         FROM vector_sets WHERE service = ? AND check_at <= ? ORDER BY check_at LIMIT ?`,
      )
      .bind(service, now, limit)
    const { results } = await reaching('database', () => select.all<CheckedRow>())
    return results.map(({ vectors, generation, ...row }) => ({
      ...row,
      indexed: vectors === null || generation === null ? null : { vectors, generation },
    }))
  }

  /** They were found. */
  async confirm(ids: readonly number[]): Promise<void> {
    await this.#setCheck(ids, null)
  }

  async postpone(ids: readonly number[], until: number): Promise<void> {
    await this.#setCheck(ids, until)
  }

  async removals(service: VectorService, limit: number): Promise<Removal[]> {
    const select = this.#db
      .prepare(
        `SELECT set_id AS "set", generation, vectors, removed_at AS removedAt FROM vector_removals WHERE service = ?
         ORDER BY tried_at, set_id LIMIT ?`,
      )
      .bind(service, limit)
    return (await reaching('database', () => select.all<Removal>())).results
  }

  /** The index was told. */
  async markRemoved(sets: readonly number[], now: number): Promise<void> {
    const update = this.#db.prepare(
      `UPDATE vector_removals SET removed_at = coalesce(removed_at, ?2), tried_at = ?2
       WHERE set_id IN (SELECT value FROM json_each(?1))`,
    )
    await reaching('database', () => update.bind(JSON.stringify(sets), now).run())
  }

  /** Nothing of them is left. */
  async forget(sets: readonly number[]): Promise<void> {
    const forget = this.#db.prepare('DELETE FROM vector_removals WHERE set_id IN (SELECT value FROM json_each(?))')
    await reaching('database', () => forget.bind(JSON.stringify(sets)).run())
  }

  async #setCheck(ids: readonly number[], at: number | null): Promise<void> {
    const update = this.#db.prepare(
      'UPDATE vector_sets SET check_at = ?2 WHERE id IN (SELECT value FROM json_each(?1))',
    )
    await reaching('database', () => update.bind(JSON.stringify(ids), at).run())
  }
}

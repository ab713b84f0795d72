import { reaching } from '@svc/protocol/base/dependency-fault'
import type { VectorSetStore } from '../vectors/set-store.ts'

export interface TextManifest {
  readonly assetId: string
  readonly chunkCount: number
  readonly wordCount: number
  readonly registeredAt: number
}

export interface TextClaim {
  readonly assetId: string
  readonly chunkCount: number
  readonly wordCount: number
  readonly bodyKey: string
}

interface Row {
  asset_id: string
  chunk_count: number
  word_count: number
  registered_at: number
}

const MANIFEST = 'asset_id, chunk_count, word_count, registered_at'
/** As long as a unit is held: by then the registration that made the claim has ended. */
const CLAIM_MS = 600_000

/** Text manifests in D1. A text is claimed before its unit counts and visible only after. */
export class TextStore {
  readonly #db: D1Database
  readonly #sets: VectorSetStore

  constructor(db: D1Database, sets: VectorSetStore) {
    this.#db = db
    this.#sets = sets
  }

  async find(assetId: string): Promise<TextManifest | null> {
    const select = this.#db
      .prepare(`SELECT ${MANIFEST} FROM text_assets WHERE asset_id = ? AND registered_at IS NOT NULL`)
      .bind(assetId)
    const row = await reaching('database', () => select.first<Row>())
    return row && manifestOf(row)
  }

  async findAll(assetIds: readonly string[]): Promise<TextManifest[]> {
    const select = this.#db
      .prepare(
        `SELECT ${MANIFEST} FROM text_assets
         WHERE asset_id IN (SELECT value FROM json_each(?)) AND registered_at IS NOT NULL ORDER BY asset_id`,
      )
      .bind(JSON.stringify(assetIds))
    const { results } = await reaching('database', () => select.all<Row>())
    return results.map(manifestOf)
  }

  /** One statement: returns whether the caller may register the asset. Anyone may take over an abandoned claim. */
  async claim({ assetId, chunkCount, wordCount, bodyKey }: TextClaim, did: string, now: number): Promise<boolean> {
    const claim = this.#db
      .prepare(
        `INSERT INTO text_assets (asset_id, chunk_count, word_count, body_key, claimant, claimed_at)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE NOT EXISTS (SELECT 1 FROM takedowns WHERE subject_id = ?1)
         ON CONFLICT (asset_id) DO UPDATE SET
           chunk_count = excluded.chunk_count, word_count = excluded.word_count, body_key = excluded.body_key,
           claimant = excluded.claimant, claimed_at = excluded.claimed_at
         WHERE registered_at IS NULL AND (claimant = excluded.claimant OR claimed_at <= ?7)
         RETURNING asset_id`,
      )
      .bind(assetId, chunkCount, wordCount, bodyKey, did, now, now - CLAIM_MS)
    return (await reaching('database', () => claim.first())) !== null
  }

  /**
   * One transaction: turns the claim into the manifest, drops the claimant, and numbers the set. Returns null if the
   * claim is no longer the caller's.
   */
  async register(assetId: string, did: string, now: number): Promise<TextManifest | null> {
    const [, registered] = await reaching('database', () =>
      this.#db.batch<Row>([
        this.#db
          .prepare(
            `INSERT INTO vector_sets (service, asset_id, did, body_key)
             SELECT 'text', asset_id, '', body_key FROM text_assets
             WHERE asset_id = ? AND claimant = ? AND registered_at IS NULL ON CONFLICT DO NOTHING`,
          )
          .bind(assetId, did),
        this.#db
          .prepare(
            `UPDATE text_assets SET claimant = NULL, claimed_at = NULL, registered_at = ?
             WHERE asset_id = ? AND claimant = ? AND registered_at IS NULL RETURNING ${MANIFEST}`,
          )
          .bind(now, assetId, did),
      ]),
    )
    const row = registered?.results[0]
    return row ? manifestOf(row) : null
  }

  /** Stores the vectors of a claim. */
  keep(set: Parameters<VectorSetStore['keep']>[0]): Promise<string> {
    return this.#sets.keep(set)
  }
}

function manifestOf({ asset_id, chunk_count, word_count, registered_at }: Row): TextManifest {
  return { assetId: asset_id, chunkCount: chunk_count, wordCount: word_count, registeredAt: registered_at }
}

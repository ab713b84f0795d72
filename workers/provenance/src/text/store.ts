import { reaching } from '@svc/protocol/base/dependency-fault'
import { dueSql, type LooseObjects } from '@svc/service'
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
  readonly #loose: LooseObjects

  constructor(db: D1Database, sets: VectorSetStore, loose: LooseObjects) {
    this.#db = db
    this.#sets = sets
    this.#loose = loose
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

  /**
   * One transaction: returns whether the caller may register the asset. Anyone may take over an abandoned claim. The vectors
   * that no claim names afterwards are deleted.
   */
  async claim({ assetId, chunkCount, wordCount, bodyKey }: TextClaim, did: string, now: number): Promise<boolean> {
    const replaced = `SELECT body_key, 0 FROM text_assets WHERE asset_id = ?1 AND body_key <> ?2
      AND registered_at IS NULL AND (claimant = ?3 OR claimed_at <= ?4)`
    const due = this.#db.prepare(dueSql(replaced)).bind(assetId, bodyKey, did, now - CLAIM_MS)
    const claim = this.#db
      .prepare(
        `INSERT INTO text_assets (asset_id, chunk_count, word_count, body_key, claimant, claimed_at)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE NOT EXISTS (SELECT 1 FROM takedowns WHERE subject_id = ?1)
         ON CONFLICT (asset_id) DO UPDATE SET
           chunk_count = excluded.chunk_count, word_count = excluded.word_count, body_key = excluded.body_key,
           claimant = excluded.claimant, claimed_at = excluded.claimed_at
         WHERE registered_at IS NULL AND (claimant = excluded.claimant OR claimed_at <= ?7)`,
      )
      .bind(assetId, chunkCount, wordCount, bodyKey, did, now, now - CLAIM_MS)
    const named = this.#db
      .prepare('DELETE FROM loose_objects WHERE key = ?1 AND EXISTS (SELECT 1 FROM text_assets WHERE body_key = ?1)')
      .bind(bodyKey)
    const [, , isNamed] = await reaching('database', () => this.#db.batch([due, claim, named]))
    const isMine = (isNamed?.meta.changes ?? 0) > 0
    if (!isMine) await this.#loose.delete([bodyKey])
    return isMine
  }

  /** Drops claims from before `before` that were never completed, with who made them. */
  async dropAbandoned(before: number): Promise<void> {
    const abandoned = 'FROM text_assets WHERE registered_at IS NULL AND claimed_at < ?'
    await reaching('database', () =>
      this.#db.batch([
        this.#db.prepare(dueSql(`SELECT body_key, 0 ${abandoned}`)).bind(before),
        this.#db.prepare(`DELETE ${abandoned}`).bind(before),
      ]),
    )
  }

  /**
   * One transaction: turns the claim into the manifest, drops the claimant, and numbers the set. Returns null if the
   * claim is no longer the caller's.
   */
  async register(
    assetId: string,
    { did, claimant }: { readonly did: string; readonly claimant: string },
    now: number,
  ): Promise<TextManifest | null> {
    const [, , registered] = await reaching('database', () =>
      this.#db.batch<Row>([
        this.#db
          .prepare(
            `INSERT INTO text_claimants (asset_id, claimant) SELECT asset_id, ?3 FROM text_assets
             WHERE asset_id = ?1 AND claimant = ?2 AND registered_at IS NULL ON CONFLICT DO NOTHING`,
          )
          .bind(assetId, did, claimant),
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

  /** Adds a claimant to a registered text. False if there is no such text any more. */
  async join(assetId: string, claimant: string): Promise<boolean> {
    const [, found] = await reaching('database', () =>
      this.#db.batch([
        this.#db
          .prepare(
            `INSERT INTO text_claimants (asset_id, claimant) SELECT asset_id, ?2 FROM text_assets
             WHERE asset_id = ?1 AND registered_at IS NOT NULL ON CONFLICT DO NOTHING`,
          )
          .bind(assetId, claimant),
        this.#db
          .prepare('SELECT 1 AS one FROM text_claimants WHERE asset_id = ? AND claimant = ?')
          .bind(assetId, claimant),
      ]),
    )
    return (found?.results.length ?? 0) > 0
  }

  /** One transaction: removes a claimant, and with the last one the text and its vectors. False if it is not a claimant. */
  async remove(assetId: string, claimants: readonly string[]): Promise<boolean> {
    const isUnclaimed = `asset_id = ?1 AND NOT EXISTS (SELECT 1 FROM text_claimants WHERE asset_id = ?1)`
    const [left, dropped] = await reaching('database', () =>
      this.#db.batch<{ key: string }>([
        this.#db
          .prepare('DELETE FROM text_claimants WHERE asset_id = ? AND claimant IN (SELECT value FROM json_each(?))')
          .bind(assetId, JSON.stringify(claimants)),
        this.#db
          .prepare(
            `${dueSql(`SELECT body_key, 0 FROM vector_sets WHERE service = 'text' AND ${isUnclaimed}`)} RETURNING key`,
          )
          .bind(assetId),
        this.#db.prepare(`DELETE FROM vector_sets WHERE service = 'text' AND ${isUnclaimed}`).bind(assetId),
        this.#db.prepare(`DELETE FROM text_assets WHERE registered_at IS NOT NULL AND ${isUnclaimed}`).bind(assetId),
      ]),
    )
    await this.#loose.delete((dropped?.results ?? []).map(({ key }) => key))
    return (left?.meta.changes ?? 0) > 0
  }

  /** Stores the vectors of a claim. */
  keep(set: Parameters<VectorSetStore['keep']>[0], now: number): Promise<string> {
    return this.#sets.keep(set, now)
  }
}

function manifestOf({ asset_id, chunk_count, word_count, registered_at }: Row): TextManifest {
  return { assetId: asset_id, chunkCount: chunk_count, wordCount: word_count, registeredAt: registered_at }
}

import { reaching } from '@svc/protocol/base/dependency-fault'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { dueSql, everyName, type LooseObjects, type VersionedNames } from '@svc/service'
import type { Full } from '../quota/budget.ts'
import type { VectorSetStore } from '../vectors/set-store.ts'

export interface TextManifest {
  readonly assetId: string
  readonly chunkCount: number
  readonly wordCount: number
  readonly isCertified: boolean
  /** Keyed hash of the identity that registered it; no answer has it. */
  readonly registrant: string
  /** Whether some of its chunks repeat others, or lie outside of the text. */
  readonly isPadded: boolean
  readonly registeredAt: number
}

export interface TextClaim {
  readonly assetId: string
  readonly chunkCount: number
  readonly wordCount: number
  /** Its different chunks within the text, as the index has them. */
  readonly indexedCount: number
  readonly isCertified: boolean
  readonly bodyKey: string
  readonly registrants: VersionedNames
}

interface Row {
  asset_id: string
  chunk_count: number
  word_count: number
  certified: number
  registrant: string
  indexed_count: number
  registered_at: number
}

const MANIFEST = 'asset_id, chunk_count, word_count, certified, registrant, indexed_count, registered_at'
/** As long as a unit is held: by then the registration that made the claim has ended. */
const CLAIM_MS = 600_000

/**
 * Which row gives way to a claim: one of the same registrant, unless it certifies itself and the new one does not; an
 * abandoned one; and whatever does not certify itself, registered or not, to one that does.
 */
const GIVES_WAY = `(certified < ?3 OR (registered_at IS NULL AND (claimed_at <= ?4
  OR (registrant IN (SELECT value FROM json_each(?5)) AND certified <= ?3))))`

/** The different chunks that an identity keeps, by its names, without those of the row that a claim replaces. */
const USED = `(coalesce((SELECT sum(amount) FROM kept WHERE budget = 'searchChunks'
    AND did IN (SELECT value FROM json_each(?5))), 0)
  - coalesce((SELECT indexed_count FROM text_assets WHERE asset_id = ?1
    AND registrant IN (SELECT value FROM json_each(?5))), 0))`
const HAS_ROOM = `(${USED} + ?6 <= ?7)`

const CLAIM = `INSERT INTO text_assets
    (asset_id, registrant, certified, indexed_count, chunk_count, word_count, body_key, claimed_at)
  SELECT ?1, ?2, ?3, ?6, ?8, ?9, ?10, ?11
    WHERE NOT EXISTS (SELECT 1 FROM takedowns WHERE subject_id = ?1) AND ${HAS_ROOM}
  ON CONFLICT (asset_id) DO UPDATE SET
    registrant = excluded.registrant, certified = excluded.certified, indexed_count = excluded.indexed_count,
    chunk_count = excluded.chunk_count, word_count = excluded.word_count, body_key = excluded.body_key,
    claimed_at = excluded.claimed_at, registered_at = NULL
  WHERE ${GIVES_WAY}`

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
   * One transaction: returns whether the caller may register the asset. What is registered and gives way is deleted with its
   * claimants, as are the vectors that no row names afterwards. The different chunks of one identity are `limit` at most.
   */
  async claim(claim: TextClaim, limit: number, now: number): Promise<Result<boolean, Full>> {
    const { assetId, chunkCount, wordCount, indexedCount, isCertified, bodyKey, registrants } = claim
    const names = everyName(registrants)
    const decided = [assetId, registrants.newest, Number(isCertified), now - CLAIM_MS, names, indexedCount, limit]
    const given = `FROM text_assets WHERE asset_id = ?1 AND ${GIVES_WAY} AND ${HAS_ROOM}`
    const isGiven = `asset_id = ?1 AND EXISTS (SELECT 1 ${given})`
    const renamed = this.#renamed(assetId, registrants)
    const answers = await reaching('database', () =>
      this.#db.batch<Record<string, unknown>>([
        ...renamed,
        this.#db.prepare(`${dueSql(`SELECT body_key, 0 ${given}`)} RETURNING key`).bind(...decided),
        this.#db.prepare(`DELETE FROM vector_sets WHERE service = 'text' AND ${isGiven}`).bind(...decided),
        this.#db.prepare(`DELETE FROM text_claimants WHERE ${isGiven}`).bind(...decided),
        this.#db.prepare(CLAIM).bind(...decided, chunkCount, wordCount, bodyKey, now),
        this.#db
          .prepare(
            'DELETE FROM loose_objects WHERE key = ?1 AND EXISTS (SELECT 1 FROM text_assets WHERE body_key = ?1)',
          )
          .bind(bodyKey),
        this.#db
          .prepare(
            `SELECT ${USED} AS used, ${HAS_ROOM} OR EXISTS (
               SELECT 1 FROM text_assets WHERE asset_id = ?1 AND NOT ${GIVES_WAY}) AS fits`,
          )
          .bind(...decided),
      ]),
    )
    const [dropped, , , , isNamed, room] = answers.slice(renamed.length)
    const isMine = (isNamed?.meta.changes ?? 0) > 0
    const replaced = (dropped?.results ?? []).map(({ key }) => String(key))
    await this.#loose.delete(isMine ? replaced : [...replaced, bodyKey])
    const [{ used, fits } = { used: 0, fits: 1 }] = (room?.results ?? []) as { used: number; fits: number }[]
    return isMine || fits === 1 ? ok(isMine) : err({ reason: 'full', used })
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
   * One transaction: turns the claim into the manifest, and numbers the set unless it is empty. Returns null if the claim is no longer the
   * caller's.
   */
  async register(
    { assetId, isCertified }: { readonly assetId: string; readonly isCertified: boolean },
    registrants: VersionedNames,
    now: number,
  ): Promise<TextManifest | null> {
    const claim = [assetId, everyName(registrants), Number(isCertified)]
    const isMine = `asset_id = ?1 AND registrant IN (SELECT value FROM json_each(?2)) AND certified = ?3
      AND registered_at IS NULL`
    const [, , registered] = await reaching('database', () =>
      this.#db.batch<Row>([
        this.#db
          .prepare(
            `INSERT INTO text_claimants (asset_id, claimant) SELECT asset_id, registrant FROM text_assets
             WHERE ${isMine} ON CONFLICT DO NOTHING`,
          )
          .bind(...claim),
        this.#db
          .prepare(
            `INSERT INTO vector_sets (service, asset_id, did, body_key)
             SELECT 'text', asset_id, '', body_key FROM text_assets WHERE ${isMine} AND indexed_count > 0
             ON CONFLICT DO NOTHING`,
          )
          .bind(...claim),
        this.#db
          .prepare(`UPDATE text_assets SET claimed_at = NULL, registered_at = ?4 WHERE ${isMine} RETURNING ${MANIFEST}`)
          .bind(...claim, now),
      ]),
    )
    const row = registered?.results[0]
    return row ? manifestOf(row) : null
  }

  /** Adds a claimant to a registered text. False if there is no such text any more. */
  async join(assetId: string, claimants: VersionedNames): Promise<boolean> {
    const answers = await reaching('database', () =>
      this.#db.batch([
        ...this.#renamed(assetId, claimants),
        this.#db
          .prepare(
            `INSERT INTO text_claimants (asset_id, claimant) SELECT asset_id, ?2 FROM text_assets
             WHERE asset_id = ?1 AND registered_at IS NOT NULL ON CONFLICT DO NOTHING`,
          )
          .bind(assetId, claimants.newest),
        this.#db
          .prepare(
            'SELECT 1 AS one FROM text_claimants WHERE asset_id = ? AND claimant IN (SELECT value FROM json_each(?))',
          )
          .bind(assetId, everyName(claimants)),
      ]),
    )
    return (answers.at(-1)?.results.length ?? 0) > 0
  }

  /**
   * An identity that registers something has all its texts under its newest name from then on, so that the list of what a
   * registrant has is complete without knowing the identity.
   */
  #renamed(assetId: string, { newest, earlier }: VersionedNames): D1PreparedStatement[] {
    if (earlier.length === 0) return []
    const before = '(SELECT value FROM json_each(?2))'
    const names = [newest, JSON.stringify(earlier)]
    return [
      this.#db
        .prepare(
          `UPDATE OR REPLACE text_claimants SET claimant = ?1 WHERE claimant IN ${before}
             AND (asset_id = ?3 OR asset_id IN (SELECT asset_id FROM text_assets WHERE registrant IN ${before}))`,
        )
        .bind(...names, assetId),
      this.#db.prepare(`UPDATE text_assets SET registrant = ?1 WHERE registrant IN ${before}`).bind(...names),
    ]
  }

  /** One transaction: removes a claimant, and with the last one the text and its vectors. False if it is not a claimant. */
  async remove(assetId: string, claimants: VersionedNames): Promise<boolean> {
    const isUnclaimed = `asset_id = ?1 AND NOT EXISTS (SELECT 1 FROM text_claimants WHERE asset_id = ?1)`
    const [left, dropped] = await reaching('database', () =>
      this.#db.batch<{ key: string }>([
        this.#db
          .prepare('DELETE FROM text_claimants WHERE asset_id = ? AND claimant IN (SELECT value FROM json_each(?))')
          .bind(assetId, everyName(claimants)),
        this.#db
          .prepare(
            `${dueSql(`SELECT body_key, 0 FROM text_assets WHERE registered_at IS NOT NULL AND ${isUnclaimed}`)} RETURNING key`,
          )
          .bind(assetId),
        this.#db.prepare(`DELETE FROM vector_sets WHERE service = 'text' AND ${isUnclaimed}`).bind(assetId),
        this.#db.prepare(`DELETE FROM text_assets WHERE registered_at IS NOT NULL AND ${isUnclaimed}`).bind(assetId),
        // Another of its claimants keeps it from now on.
        this.#db
          .prepare(
            `UPDATE text_assets SET registrant = (SELECT min(claimant) FROM text_claimants WHERE asset_id = ?1)
             WHERE asset_id = ?1 AND registered_at IS NOT NULL AND registrant IN (SELECT value FROM json_each(?2))`,
          )
          .bind(assetId, everyName(claimants)),
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

function manifestOf(row: Row): TextManifest {
  return {
    assetId: row.asset_id,
    chunkCount: row.chunk_count,
    wordCount: row.word_count,
    isCertified: row.certified === 1,
    registrant: row.registrant,
    isPadded: row.indexed_count < row.chunk_count,
    registeredAt: row.registered_at,
  }
}

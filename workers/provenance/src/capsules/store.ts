import { reaching } from '@svc/protocol/base/dependency-fault'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { CapsuleKind, ChainBinding } from '@svc/protocol/provenance/capsules'
import { dueSql, type LooseObjects } from '@svc/service'
import { type Full, usedSql } from '../quota/budget.ts'

export interface NewCapsule {
  readonly assetId: string
  readonly did: string
  readonly kind: CapsuleKind
  readonly capsuleHash: string
  readonly bodyKey: string
}

export interface StoredCapsule extends NewCapsule {
  readonly position: number
  readonly registeredAt: number
  readonly chain: ChainBinding | null
}

export interface Claims {
  readonly claims: readonly Pick<StoredCapsule, 'did' | 'capsuleHash' | 'position' | 'registeredAt'>[]
  readonly count: number
}

interface Row {
  asset_id: string
  did: string
  kind: CapsuleKind
  capsule_hash: string
  body_key: string
  position: number
  registered_at: number
  block_index: string | null
  block_hash: string | null
  block_accepted_at: number | null
}

const CAPSULE = `asset_id, did, kind, capsule_hash, body_key, position, registered_at, block_index, block_hash,
  block_accepted_at`
const USED = usedSql('capsules')
const IS_PREPARED = `EXISTS (SELECT 1 FROM capsules_prepared WHERE asset_id = ?1 AND did = ?2 AND capsule_hash = ?3)`

/**
 * Registered capsules. Each is first prepared, where no reader sees it, and then completed once. A completed
 * registration never changes.
 */
export class CapsuleStore {
  readonly #db: D1Database
  readonly #loose: LooseObjects

  constructor(db: D1Database, loose: LooseObjects) {
    this.#db = db
    this.#loose = loose
  }

  /** The completed registration of an asset by one identity. */
  find(assetId: string, did: string): Promise<StoredCapsule | null> {
    return this.#first(
      `SELECT ${CAPSULE} FROM capsules WHERE asset_id = ? AND did = ? AND state = 'registered'`,
      assetId,
      did,
    )
  }

  /** The earliest completed registration of an asset. */
  earliest(assetId: string): Promise<StoredCapsule | null> {
    return this.#first(
      `SELECT ${CAPSULE} FROM capsules WHERE asset_id = ? AND state = 'registered' ORDER BY position LIMIT 1`,
      assetId,
    )
  }

  /**
   * Stores a capsule so that it can be completed, alongside any others. Returns false, and deletes its body, if one is
   * already registered. At most `limit` of one identity.
   */
  async prepare(
    { assetId, did, kind, capsuleHash, bodyKey }: NewCapsule,
    limit: number,
    now: number,
  ): Promise<Result<boolean, Full>> {
    const replaced = `SELECT body_key, 0 FROM capsules_prepared
      WHERE asset_id = ?1 AND did = ?2 AND capsule_hash = ?3 AND body_key <> ?4`
    const [, , named, room] = await reaching('capsules', () =>
      this.#db.batch([
        this.#db.prepare(dueSql(replaced)).bind(assetId, did, capsuleHash, bodyKey),
        this.#db
          .prepare(
            `INSERT INTO capsules_prepared (asset_id, did, capsule_hash, kind, body_key, prepared_at)
           SELECT ?1, ?2, ?3, ?4, ?5, ?6
             WHERE NOT EXISTS (SELECT 1 FROM capsules WHERE asset_id = ?1 AND did = ?2 AND state = 'registered')
               AND NOT EXISTS (SELECT 1 FROM takedowns WHERE subject_id = ?1)
               AND (${USED} < ?7 OR ${IS_PREPARED})
           ON CONFLICT DO UPDATE SET body_key = excluded.body_key, prepared_at = excluded.prepared_at`,
          )
          .bind(assetId, did, capsuleHash, kind, bodyKey, now, limit),
        this.#db
          .prepare(
            `DELETE FROM loose_objects WHERE key = ?1 AND EXISTS (SELECT 1 FROM capsules_prepared WHERE body_key = ?1)`,
          )
          .bind(bodyKey),
        this.#db
          .prepare(`SELECT ${USED} AS used, EXISTS (SELECT 1 FROM capsules WHERE asset_id = ?1 AND did = ?2) AS held`)
          .bind(assetId, did),
      ]),
    )
    const isPrepared = (named?.meta.changes ?? 0) > 0
    if (!isPrepared) await this.#loose.delete([bodyKey])
    const [{ used, held } = { used: 0, held: 1 }] = (room?.results ?? []) as { used: number; held: number }[]
    return !isPrepared && held === 0 && used >= limit ? err({ reason: 'full', used }) : ok(isPrepared)
  }

  /** Drops what was prepared with this body, and the body. */
  async discard(bodyKey: string): Promise<void> {
    const [dropped] = await reaching('capsules', () =>
      this.#db.batch<{ key: string }>([
        this.#db
          .prepare(`${dueSql('SELECT body_key, 0 FROM capsules_prepared WHERE body_key = ?')} RETURNING key`)
          .bind(bodyKey),
        this.#db.prepare('DELETE FROM capsules_prepared WHERE body_key = ?').bind(bodyKey),
      ]),
    )
    await this.#loose.delete((dropped?.results ?? []).map(({ key }) => key))
  }

  /** Drops what was prepared before `before` and never completed. */
  async dropAbandoned(before: number): Promise<void> {
    await reaching('capsules', () =>
      this.#db.batch([
        this.#db.prepare(dueSql('SELECT body_key, 0 FROM capsules_prepared WHERE prepared_at < ?')).bind(before),
        this.#db.prepare('DELETE FROM capsules_prepared WHERE prepared_at < ?').bind(before),
      ]),
    )
  }

  /** One transaction: deletes a registration and its vectors. The position is not used again. False if there is none. */
  async remove(assetId: string, did: string): Promise<boolean> {
    const mine = 'WHERE asset_id = ?1 AND did = ?2'
    const keys = `SELECT body_key, 0 FROM capsules ${mine} UNION SELECT body_key, 0 FROM capsules_prepared ${mine}
      UNION SELECT body_key, 0 FROM vector_sets ${mine}`
    const del = (table: string) => this.#db.prepare(`DELETE FROM ${table} ${mine}`).bind(assetId, did)
    const [dropped, , removed] = await reaching('capsules', () =>
      this.#db.batch<{ key: string }>([
        this.#db.prepare(`${dueSql(`SELECT * FROM (${keys}) WHERE true`)} RETURNING key`).bind(assetId, did),
        this.#db
          .prepare(
            `INSERT INTO capsule_positions (asset_id, last) SELECT asset_id, max(position) FROM capsules
             WHERE asset_id = ?1 AND EXISTS (SELECT 1 FROM capsules ${mine} AND state = 'registered') GROUP BY asset_id
             ON CONFLICT DO UPDATE SET last = max(last, excluded.last)`,
          )
          .bind(assetId, did),
        del('capsules'),
        del('capsules_prepared'),
        del('vector_sets'),
      ]),
    )
    await this.#loose.delete((dropped?.results ?? []).map(({ key }) => key))
    return (removed?.meta.changes ?? 0) > 0
  }

  /**
   * One transaction: registers what was prepared at the asset’s next position, and deletes everything else that was prepared
   * for it. Returns null if another call was first, with this capsule or another.
   */
  async complete(
    { assetId, did, capsuleHash }: Pick<NewCapsule, 'assetId' | 'did' | 'capsuleHash'>,
    chain: ChainBinding | null,
    now: number,
  ): Promise<StoredCapsule | null> {
    const register = this.#db
      .prepare(
        `INSERT INTO capsules (${CAPSULE}, state)
         SELECT asset_id, did, kind, capsule_hash, body_key,
           max(coalesce((SELECT max(position) FROM capsules WHERE asset_id = ?1), 0),
             coalesce((SELECT last FROM capsule_positions WHERE asset_id = ?1), 0)) + 1, ?4, ?5, ?6, ?7, 'registered'
         FROM capsules_prepared WHERE asset_id = ?1 AND did = ?2 AND capsule_hash = ?3
         ON CONFLICT (asset_id, did) DO UPDATE SET
           kind = excluded.kind, capsule_hash = excluded.capsule_hash, body_key = excluded.body_key,
           position = excluded.position, registered_at = excluded.registered_at, block_index = excluded.block_index,
           block_hash = excluded.block_hash, block_accepted_at = excluded.block_accepted_at, state = 'registered'
         WHERE state = 'pending'
         RETURNING ${CAPSULE}`,
      )
      .bind(assetId, did, capsuleHash, now, chain?.index ?? null, chain?.hash ?? null, chain?.acceptedAt ?? null)
    const others = this.#db
      .prepare(
        dueSql(`SELECT body_key, 0 FROM capsules_prepared p WHERE asset_id = ?1 AND did = ?2
          AND EXISTS (SELECT 1 FROM capsules c
            WHERE c.asset_id = ?1 AND c.did = ?2 AND c.state = 'registered' AND c.body_key <> p.body_key)`),
      )
      .bind(assetId, did)
    const forget = this.#db
      .prepare(
        `DELETE FROM capsules_prepared WHERE asset_id = ?1 AND did = ?2
           AND EXISTS (SELECT 1 FROM capsules WHERE asset_id = ?1 AND did = ?2 AND state = 'registered')`,
      )
      .bind(assetId, did)
    const [registered] = await reaching('capsules', () => this.#db.batch<Row>([register, others, forget]))
    const [row] = registered?.results ?? []
    return row ? capsuleOf(row) : null
  }

  /** The first identities that registered an asset, in order, and their total number. */
  async claims(assetId: string, limit: number): Promise<Claims> {
    const { results } = await reaching('capsules', () =>
      this.#db
        .prepare(
          `SELECT did, capsule_hash, position, registered_at, count(*) OVER () AS total FROM capsules
           WHERE asset_id = ? AND state = 'registered' ORDER BY position LIMIT ?`,
        )
        .bind(assetId, limit)
        .all<Pick<Row, 'did' | 'capsule_hash' | 'position' | 'registered_at'> & { total: number }>(),
    )
    const claims = results.map(({ did, capsule_hash: capsuleHash, position, registered_at: registeredAt }) => ({
      did,
      capsuleHash,
      position,
      registeredAt,
    }))
    return { claims, count: results[0]?.total ?? 0 }
  }

  async #first(sql: string, ...values: unknown[]): Promise<StoredCapsule | null> {
    const row = await reaching('capsules', () =>
      this.#db
        .prepare(sql)
        .bind(...values)
        .first<Row>(),
    )
    return row && capsuleOf(row)
  }
}

function capsuleOf(row: Row): StoredCapsule {
  const { block_index: index, block_hash: hash, block_accepted_at: acceptedAt } = row
  return {
    assetId: row.asset_id,
    did: row.did,
    kind: row.kind,
    capsuleHash: row.capsule_hash,
    bodyKey: row.body_key,
    position: row.position,
    registeredAt: row.registered_at,
    chain: index === null || hash === null || acceptedAt === null ? null : { index, hash, acceptedAt },
  }
}

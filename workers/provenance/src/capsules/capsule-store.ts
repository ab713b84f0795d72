import type { CapsuleKind, ChainBinding } from '@svc/protocol/capsules'
import { reaching } from '@svc/protocol/dependency-fault'

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

/**
 * Which capsules are registered. Each is prepared, where nobody reads it, and then completed, once; what is completed
 * never changes.
 */
export class CapsuleStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  /** The completed registration of an asset by an identity. */
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

  /** Puts the capsule where it can be completed, beside whatever else is. False when one is registered. */
  async prepare({ assetId, did, kind, capsuleHash, bodyKey }: NewCapsule): Promise<boolean> {
    const prepared = await reaching('capsules', () =>
      this.#db
        .prepare(
          `INSERT INTO capsules_prepared (asset_id, did, capsule_hash, kind, body_key)
           SELECT ?1, ?2, ?3, ?4, ?5
             WHERE NOT EXISTS (SELECT 1 FROM capsules WHERE asset_id = ?1 AND did = ?2 AND state = 'registered')
           ON CONFLICT DO UPDATE SET body_key = excluded.body_key
           RETURNING asset_id`,
        )
        .bind(assetId, did, capsuleHash, kind, bodyKey)
        .first('asset_id'),
    )
    return prepared !== null
  }

  /**
   * One transaction: what was prepared is registered, in the next position, and whatever was prepared beside it goes.
   * Null when another call was first, with this capsule or another one.
   */
  async complete(
    { assetId, did, capsuleHash }: Pick<NewCapsule, 'assetId' | 'did' | 'capsuleHash'>,
    chain: ChainBinding | null,
    now: number,
  ): Promise<StoredCapsule | null> {
    const register = this.#db
      .prepare(
        `INSERT INTO capsules (${CAPSULE}, state)
         SELECT asset_id, did, kind, capsule_hash, body_key, (SELECT coalesce(max(position), 0) + 1 FROM capsules),
           ?4, ?5, ?6, ?7, 'registered'
         FROM capsules_prepared WHERE asset_id = ?1 AND did = ?2 AND capsule_hash = ?3
         ON CONFLICT (asset_id, did) DO UPDATE SET
           kind = excluded.kind, capsule_hash = excluded.capsule_hash, body_key = excluded.body_key,
           position = excluded.position, registered_at = excluded.registered_at, block_index = excluded.block_index,
           block_hash = excluded.block_hash, block_accepted_at = excluded.block_accepted_at, state = 'registered'
         WHERE state = 'pending'
         RETURNING ${CAPSULE}`,
      )
      .bind(assetId, did, capsuleHash, now, chain?.index ?? null, chain?.hash ?? null, chain?.acceptedAt ?? null)
    const forget = this.#db
      .prepare(
        `DELETE FROM capsules_prepared WHERE asset_id = ?1 AND did = ?2
           AND EXISTS (SELECT 1 FROM capsules WHERE asset_id = ?1 AND did = ?2 AND state = 'registered')`,
      )
      .bind(assetId, did)
    const [registered] = await reaching('capsules', () => this.#db.batch<Row>([register, forget]))
    const [row] = registered?.results ?? []
    return row ? capsuleOf(row) : null
  }

  /** Everybody who has registered an asset, in order: the first so many, and how many they are. */
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

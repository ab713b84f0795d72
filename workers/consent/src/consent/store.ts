import { reaching } from '@svc/protocol/base/dependency-fault'
import { userIdOfKey } from '@svc/protocol/base/identity'
import { statementHash } from '@svc/protocol/base/statement'
import { bucketOf } from '@svc/protocol/consent/buckets'
import {
  type ACTIONS,
  type ConsentAct,
  type ConsentSigner,
  compareHashes,
  MAX_ACTS,
  type Preferences,
} from '@svc/protocol/consent/consent'
import type { ConsentEntry } from '@svc/protocol/consent/history-page'
import type { ConsentSettleStatement } from '@svc/protocol/consent/settlement'
import type { Amounts } from './budget-rules.ts'
import { CLEARED } from './claim-store.ts'
import { listsOf } from './identifier-lists.ts'
import {
  type BriefRecord,
  type BriefRow,
  briefsOf,
  type EntryRow,
  entryOf,
  type FullRecord,
  type FullRow,
  fullOf,
  preferencesOf,
  type SnapshotColumns,
  type SnapshotRow,
} from './rows.ts'
import { type Databases, databaseOf, shardOf, shardOfBucket } from './shards.ts'
import { hasRoom } from './usage-store.ts'

export interface NewAct {
  readonly hash: string
  readonly action: ConsentAct['action']
  readonly creatorDid: string
  readonly preferences: Preferences | null
  readonly publicKeyB64u: string
  readonly signatureB64u: string
  readonly actHash: string
  readonly signer: ConsentSigner
}

/** Whether an act was accepted for an identifier before, or counted as a claim to it. */
const isSeen = (hash: string, act: string) => `(
    EXISTS (SELECT 1 FROM consent_acts o WHERE o.content_hash = ${hash} AND o.act_hash = ${act})
    OR EXISTS (SELECT 1 FROM consent_claims c, json_each(c.spent) s WHERE c.content_hash = ${hash} AND s.value = ${act}))`
const IS_NEW = `NOT ${isSeen('?1', '?4')}`

const BRIEF = 'content_hash, creator_did, preferences, version, updated_at'
const FULL = `SELECT r.content_hash, r.creator_did, r.preferences, r.status, r.version, r.held_from, r.last_act, r.updated_at,
    coalesce((SELECT f.recorded_at FROM consent_acts f
      WHERE r.held_from > 0 AND f.content_hash = r.content_hash AND f.version = r.held_from + 1), r.created_at) AS created_at,
    ${isSeen('r.content_hash', '?2')} AS remembers_act,
    a.action, a.preferences AS signed_preferences, a.signature, a.signer, k.public_key
  FROM consent_records r
    LEFT JOIN consent_acts a
      ON a.content_hash = r.content_hash AND a.version = r.version AND a.action <> 'settle'
    LEFT JOIN consent_keys k ON k.user_id = a.user_id
  WHERE r.content_hash = ?1`

/**
 * Conditional writes. Their conditions repeat `decideWrite` of `rules.ts` on the record at the time of the write;
 * `test/consent/conditional-writes.test.ts` holds the two together.
 */
const WRITES: Record<(typeof ACTIONS)[number], string> = {
  create: `INSERT INTO consent_records
      (content_hash, creator_did, preferences, status, version, last_act, created_at, updated_at, bucket)
    SELECT ?1, ?2, ?3, 'published', 1, ?4, ?5, ?5, ?6 WHERE ${hasRoom('records + claims < ?7 AND acts < ?8')}
    ON CONFLICT (content_hash) DO UPDATE SET preferences = excluded.preferences, status = 'published',
      version = consent_records.version + 1, last_act = excluded.last_act,
      updated_at = max(consent_records.updated_at, excluded.updated_at)
    WHERE consent_records.creator_did = excluded.creator_did AND consent_records.status = 'revoked'
      AND consent_records.version - consent_records.held_from < ${MAX_ACTS} AND ${IS_NEW}`,
  update: `UPDATE consent_records SET preferences = json_patch(preferences, ?3), version = version + 1, last_act = ?4,
      updated_at = max(updated_at, ?5)
    WHERE content_hash = ?1 AND creator_did = ?2 AND status = 'published' AND version - held_from < ${MAX_ACTS}
      AND ${IS_NEW} AND ${hasRoom('acts < ?6')}`,
  delete: `UPDATE consent_records SET status = 'revoked', version = version + 1, last_act = ?4,
      updated_at = max(updated_at, ?5)
    WHERE content_hash = ?1 AND creator_did = ?2 AND status = 'published' AND ${IS_NEW}`,
}

/** For claims to a settled identifier, under the condition that the settlement stands. */
const IS_HELD = 'EXISTS (SELECT 1 FROM consent_records WHERE content_hash = ?1 AND creator_did = ?2)'
/** The operator has seen the claims that were recorded before the statement. */
const SETTLE_CLAIMS = `UPDATE consent_claims SET settled_at = max(recorded_at, ?4)
  WHERE content_hash = ?1 AND creator_did <> ?2 AND act_hash IS NOT NULL AND settled_at IS NULL AND recorded_at <= ?3
    AND ${IS_HELD}`
/** Who got the identifier declares it now. */
const CLEAR_CLAIM = `UPDATE consent_claims SET ${CLEARED} WHERE content_hash = ?1 AND creator_did = ?2 AND ${IS_HELD}`

function boundsOf(action: NewAct['action'], hash: string, { consentRecords, consentActs }: Amounts): number[] {
  switch (action) {
    case 'create':
      return [bucketOf(hash), consentRecords, consentActs]
    case 'update':
      return [consentActs]
    // A declaration can always be revoked.
    case 'delete':
      return []
  }
}

/** Records, their acts and keys, in D1. */
export class ConsentStore {
  readonly #shards: Databases

  constructor(shards: Databases) {
    this.#shards = shards
  }

  /** A record with its newest act, and whether the act with this hash was accepted before. */
  async find(hash: string, actHash: string | null = null): Promise<FullRecord | null> {
    const statement = this.#shard(hash).prepare(FULL).bind(hash, actHash)
    const row = await reaching('consent', () => statement.first<FullRow>())
    return row && fullOf(row)
  }

  /**
   * One transaction: changes the record and stores the act, or does neither. Returns the record afterwards; the act was
   * accepted, now or by a concurrent identical call, if it is the record's newest.
   */
  async write(act: NewAct, room: Amounts, now: number): Promise<FullRecord | null> {
    const { hash, creatorDid, preferences, actHash, action, publicKeyB64u, signatureB64u, signer } = act
    const db = this.#shard(hash)
    const userId = userIdOfKey(publicKeyB64u)
    const signed = preferences && JSON.stringify(preferences)
    const [, , , found] = await reaching('consent', () =>
      db.batch<FullRow>([
        db.prepare(WRITES[action]).bind(hash, creatorDid, signed, actHash, now, ...boundsOf(action, hash, room)),
        db
          .prepare(
            `INSERT INTO consent_keys (user_id, public_key) SELECT ?1, ?2 WHERE EXISTS (
               SELECT 1 FROM consent_records WHERE content_hash = ?3 AND last_act = ?4) ON CONFLICT DO NOTHING`,
          )
          .bind(userId, publicKeyB64u, hash, actHash),
        db
          .prepare(
            `INSERT INTO consent_acts (content_hash, version, act_hash, action, preferences, state, user_id, signature,
               signer, recorded_at)
             SELECT content_hash, version, ?2, ?3, ?4, CASE WHEN status = 'published' THEN preferences END, ?5, ?6, ?7,
               updated_at
             FROM consent_records WHERE content_hash = ?1 AND last_act = ?2 ON CONFLICT DO NOTHING`,
          )
          .bind(hash, actHash, action, signed, userId, signatureB64u, JSON.stringify(signer)),
        db.prepare(FULL).bind(hash, actHash),
      ]),
    )
    const [row] = found?.results ?? []
    return row ? fullOf(row) : null
  }

  /** The published ones among these identifiers, in any order. One statement after another, so that few are in flight. */
  async findMany(hashes: Iterable<string>): Promise<BriefRecord[]> {
    const byShard = Map.groupBy(hashes, (hash) => shardOf(hash, this.#shards.length))
    const found = await Promise.all([...byShard].map(([shard, wanted]) => this.#findIn(this.#at(shard), wanted)))
    return briefsOf(found.flat())
  }

  async #findIn(db: D1Database, wanted: Iterable<string>): Promise<BriefRow[]> {
    const found: BriefRow[] = []
    for (const list of listsOf(wanted)) {
      const statement = db
        .prepare(
          `SELECT ${BRIEF} FROM consent_records
           WHERE content_hash IN (SELECT value FROM json_each(?1)) AND status = 'published'`,
        )
        .bind(list)
      const { results } = await reaching('consent', () => statement.all<BriefRow>())
      for (const row of results) found.push(row)
    }
    return found
  }

  /** Published records of a creator after an identifier, in order. */
  async byCreator(did: string, after: string | null, limit: number): Promise<BriefRecord[]> {
    const rows = await this.#everywhere<BriefRow>(
      `SELECT ${BRIEF} FROM consent_records
       WHERE creator_did = ?1 AND status = 'published' AND content_hash > ?2 ORDER BY content_hash LIMIT ?3`,
      [did, after ?? '', limit],
    )
    return briefsOf(this.#merged(rows, limit))
  }

  /**
   * One transaction: ends the record of the creator who holds the identifier and gives it to another, unless it has no
   * owner, that creator holds it already, or this settlement was made before. Claims of others are settled in each case
   * in which that creator holds it afterwards. Returns the record afterwards.
   */
  async settle(
    {
      statement,
      signatureB64u,
      publicKeyB64u,
    }: { readonly statement: ConsentSettleStatement; readonly signatureB64u: string; readonly publicKeyB64u: string },
    now: number,
  ): Promise<FullRecord | null> {
    const { contentHash: hash, creatorDid } = statement
    const db = this.#shard(hash)
    const actHash = statementHash(statement)
    const userId = userIdOfKey(publicKeyB64u)
    const signer = JSON.stringify({ kind: 'operator', user_id: userId })
    const signed = JSON.stringify(statement)
    const found = await reaching('consent', () =>
      db.batch<FullRow>([
        db
          .prepare(
            `INSERT INTO consent_acts (content_hash, version, act_hash, action, user_id, signature, signer, recorded_at,
               settlement, previous_creator_did)
             SELECT content_hash, version + 1, ?2, 'settle', ?3, ?4, ?5, max(updated_at, ?6), ?7, creator_did
             FROM consent_records WHERE content_hash = ?1 AND creator_did <> ?8 ON CONFLICT DO NOTHING`,
          )
          .bind(hash, actHash, userId, signatureB64u, signer, now, signed, creatorDid),
        db
          .prepare(
            `INSERT INTO consent_keys (user_id, public_key) SELECT ?1, ?2 WHERE EXISTS (
               SELECT 1 FROM consent_acts WHERE content_hash = ?3 AND act_hash = ?4) ON CONFLICT DO NOTHING`,
          )
          .bind(userId, publicKeyB64u, hash, actHash),
        // Only the settlement of this transaction is one version ahead of its record.
        db
          .prepare(
            `UPDATE consent_records SET creator_did = ?3, status = 'revoked', version = version + 1,
               held_from = version + 1, last_act = ?2, updated_at = max(updated_at, ?4)
             WHERE content_hash = ?1 AND EXISTS (SELECT 1 FROM consent_acts a
               WHERE a.content_hash = ?1 AND a.act_hash = ?2 AND a.version = consent_records.version + 1)`,
          )
          .bind(hash, actHash, creatorDid, now),
        db.prepare(SETTLE_CLAIMS).bind(hash, creatorDid, statement.issuedAt, now),
        db.prepare(CLEAR_CLAIM).bind(hash, creatorDid),
        db.prepare(FULL).bind(hash, actHash),
      ]),
    )
    const [row] = found.at(-1)?.results ?? []
    return row ? fullOf(row) : null
  }

  /** Acts on a record recorded up to `at`, after a version. */
  async acts(hash: string, after: number, at: number, limit: number): Promise<ConsentEntry[]> {
    const statement = this.#shard(hash)
      .prepare(
        `SELECT a.version, a.action, a.preferences AS signed_preferences, a.signature, a.signer, k.public_key, a.recorded_at,
           a.settlement, a.previous_creator_did, a.user_id
         FROM consent_acts a JOIN consent_keys k ON k.user_id = a.user_id
         WHERE a.content_hash = ?1 AND a.version > ?2 AND a.recorded_at <= ?3 ORDER BY a.version LIMIT ?4`,
      )
      .bind(hash, after, at, limit)
    const { results } = await reaching('consent', () => statement.all<EntryRow>())
    return results.map(entryOf)
  }

  /** Who held the identifier at a time, if another creator has got it since. */
  async formerCreator(hash: string, at: number): Promise<string | null> {
    const statement = this.#shard(hash)
      .prepare(
        `SELECT previous_creator_did FROM consent_acts
         WHERE content_hash = ?1 AND action = 'settle' AND recorded_at > ?2 ORDER BY version LIMIT 1`,
      )
      .bind(hash, at)
    return reaching('consent', () => statement.first<string>('previous_creator_did'))
  }

  /** What a record declared at a time; null if it had no act by then. */
  async stateAt(hash: string, at: number): Promise<{ version: number; preferences: Preferences | null } | null> {
    const statement = this.#shard(hash)
      .prepare(
        `SELECT version, state FROM consent_acts WHERE content_hash = ?1 AND recorded_at <= ?2
         ORDER BY version DESC LIMIT 1`,
      )
      .bind(hash, at)
    const row = await reaching('consent', () => statement.first<{ version: number; state: string | null }>())
    return row && { version: row.version, preferences: preferencesOf(row.state) }
  }

  /**
   * Records of a bucket after an identifier as they stood before `at`, in order, revoked ones with `preferences` null: a
   * page is bounded by what it reads, so that it can say how far it got.
   */
  async snapshot(bucket: number, at: number, after: string | null, limit: number): Promise<SnapshotRow[]> {
    const statement = this.#at(shardOfBucket(bucket, this.#shards.length))
      .prepare(
        `SELECT r.content_hash, coalesce((SELECT s.previous_creator_did FROM consent_acts s
           WHERE r.updated_at >= ?1 AND r.held_from > 0 AND s.content_hash = r.content_hash AND s.action = 'settle'
             AND s.recorded_at >= ?1 ORDER BY s.version LIMIT 1), r.creator_did) AS creator_did, CASE
         WHEN r.updated_at >= ?1 THEN (SELECT a.state FROM consent_acts a
           WHERE a.content_hash = r.content_hash AND a.recorded_at < ?1 ORDER BY a.version DESC LIMIT 1)
         WHEN r.status = 'published' THEN r.preferences END AS preferences
       FROM consent_records r WHERE r.bucket = ?4 AND r.content_hash > ?2 AND r.created_at < ?1
       ORDER BY r.content_hash LIMIT ?3`,
      )
      .bind(at, after ?? '', limit, bucket)
    const { results } = await reaching('consent', () => statement.all<SnapshotColumns>())
    return results.map(({ content_hash: hash, creator_did: creatorDid, preferences }) => ({
      hash,
      creatorDid,
      preferences: preferencesOf(preferences),
    }))
  }

  async #everywhere<Row>(sql: string, values: readonly (string | number)[]): Promise<Row[][]> {
    return Promise.all(
      this.#shards.map(async (db) => {
        const statement = db.prepare(sql).bind(...values)
        const { results } = await reaching('consent', () => statement.all<Row>())
        return results
      }),
    )
  }

  /** The first rows, in order, of what each database returned. */
  #merged<Row extends { content_hash: string }>(pages: readonly Row[][], limit: number): Row[] {
    const [only = []] = pages
    if (pages.length === 1) return only
    return pages
      .flat()
      .toSorted((a, b) => compareHashes(a.content_hash, b.content_hash))
      .slice(0, limit)
  }

  #shard(hash: string): D1Database {
    return databaseOf(this.#shards, hash)
  }

  #at(shard: number): D1Database {
    return this.#shards[shard] ?? this.#shards[0]
  }
}

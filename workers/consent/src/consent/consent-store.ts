import { type ACTIONS, type ConsentAct, type ConsentSigner, MAX_ACTS, type Preferences } from '@svc/protocol/consent'
import { reaching } from '@svc/protocol/dependency-fault'
import { userIdOfKey } from '@svc/protocol/identity'
import type { Standing } from './consent.ts'
import { compareHashes, shardOf } from './shards.ts'

export interface StoredRecord extends Standing {
  readonly hash: string
  readonly preferences: Preferences
  readonly createdAt: number
  readonly updatedAt: number
}

/** A record and the act that left it as it is. */
export interface FullRecord extends StoredRecord {
  readonly act: Omit<ConsentAct, 'version' | 'recorded_at'> | null
}

/** What of a record is read among many. */
export type BriefRecord = Pick<StoredRecord, 'hash' | 'creatorDid' | 'preferences' | 'version' | 'updatedAt'>

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

interface RecordRow {
  content_hash: string
  creator_did: string | null
  preferences: string
  status: 'published' | 'revoked'
  version: number
  last_act: string | null
  created_at: number
  updated_at: number
  remembers_act: 0 | 1
}
interface ActRow {
  version: number
  action: ConsentAct['action']
  signed_preferences: string | null
  signature: string
  signer: string
  public_key: string
  recorded_at: number
}
type FullRow = RecordRow & { [K in keyof ActRow]: ActRow[K] | null } & { version: number }
interface BriefRow {
  content_hash: string
  creator_did: string | null
  preferences: string
  version: number
  updated_at: number
}

const BRIEF = 'content_hash, creator_did, preferences, version, updated_at'
const FULL = `SELECT r.content_hash, r.creator_did, r.preferences, r.status, r.version, r.last_act, r.created_at, r.updated_at,
    EXISTS (SELECT 1 FROM consent_acts o WHERE o.content_hash = r.content_hash AND o.act_hash = ?2) AS remembers_act,
    a.action, a.preferences AS signed_preferences, a.signature, a.signer, k.public_key
  FROM consent_records r
    LEFT JOIN consent_acts a ON a.content_hash = r.content_hash AND a.version = r.version
    LEFT JOIN consent_keys k ON k.user_id = a.user_id
  WHERE r.content_hash = ?1`

/** A conditional write: what `decideWrite` has found must still be so when it is written. */
const WRITES: Record<(typeof ACTIONS)[number], string> = {
  create: `INSERT INTO consent_records
      (content_hash, creator_did, preferences, status, version, last_act, created_at, updated_at)
    VALUES (?1, ?2, ?3, 'published', 1, ?4, ?5, ?5)
    ON CONFLICT (content_hash) DO UPDATE SET preferences = excluded.preferences, status = 'published',
      version = consent_records.version + 1, last_act = excluded.last_act,
      updated_at = max(consent_records.updated_at, excluded.updated_at)
    WHERE consent_records.creator_did = excluded.creator_did AND consent_records.status = 'revoked'
      AND consent_records.version < ${MAX_ACTS} AND NOT EXISTS (
        SELECT 1 FROM consent_acts WHERE content_hash = excluded.content_hash AND act_hash = excluded.last_act)`,
  update: `UPDATE consent_records SET preferences = json_patch(preferences, ?3), version = version + 1, last_act = ?4,
      updated_at = max(updated_at, ?5)
    WHERE content_hash = ?1 AND creator_did = ?2 AND status = 'published' AND version < ${MAX_ACTS}
      AND NOT EXISTS (SELECT 1 FROM consent_acts WHERE content_hash = ?1 AND act_hash = ?4)`,
  delete: `UPDATE consent_records SET status = 'revoked', version = version + 1, last_act = ?4,
      updated_at = max(updated_at, ?5)
    WHERE content_hash = ?1 AND creator_did = ?2 AND status = 'published'
      AND NOT EXISTS (SELECT 1 FROM consent_acts WHERE content_hash = ?1 AND act_hash = ?4)`,
}

/** D1 takes no text above 2,000,000 bytes, and binds a hundred parameters: identifiers go as lists within that. */
const MAX_LIST_BYTES = 1_900_000

function parametersOf(hashes: readonly string[]): string[] {
  const list = JSON.stringify(hashes)
  if (hashes.length < 2 || new TextEncoder().encode(list).length <= MAX_LIST_BYTES) return [list]
  const middle = hashes.length >> 1
  return [...parametersOf(hashes.slice(0, middle)), ...parametersOf(hashes.slice(middle))]
}

/** Records, their acts and keys, in D1. */
export class ConsentStore {
  readonly #shards: readonly [D1Database, ...D1Database[]]

  constructor(shards: readonly [D1Database, ...D1Database[]]) {
    this.#shards = shards
  }

  /** A record with its newest act, and whether it has taken the act of that hash before. */
  async find(hash: string, actHash: string | null = null): Promise<FullRecord | null> {
    const statement = this.#shard(hash).prepare(FULL).bind(hash, actHash)
    const row = await reaching('consent', () => statement.first<FullRow>())
    return row && fullOf(row)
  }

  /**
   * One transaction: the record changes and the act is kept, or neither. Gives the record thereafter; the act was taken,
   * now or by a twin of this call, when it is the record's last.
   */
  async write(act: NewAct, now: number): Promise<FullRecord | null> {
    const { hash, creatorDid, preferences, actHash, action, publicKeyB64u, signatureB64u, signer } = act
    const db = this.#shard(hash)
    const userId = userIdOfKey(publicKeyB64u)
    const signed = preferences && JSON.stringify(preferences)
    const [, , , found] = await reaching('consent', () =>
      db.batch<FullRow>([
        db.prepare(WRITES[action]).bind(hash, creatorDid, signed, actHash, now),
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

  /** The published ones of these identifiers, in no order. */
  async findMany(hashes: Iterable<string>): Promise<BriefRecord[]> {
    const byShard = Map.groupBy(hashes, (hash) => shardOf(hash, this.#shards.length))
    const found = await Promise.all(
      [...byShard].flatMap(([shard, wanted]) =>
        parametersOf(wanted).map(async (list) => {
          const statement = this.#at(shard)
            .prepare(
              `SELECT ${BRIEF} FROM consent_records
               WHERE content_hash IN (SELECT value FROM json_each(?1)) AND status = 'published'`,
            )
            .bind(list)
          const { results } = await reaching('consent', () => statement.all<BriefRow>())
          return results
        }),
      ),
    )
    return briefsOf(found.flat())
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

  /** Acts on a record that were recorded no later than `at`, after a version. */
  async acts(hash: string, after: number, at: number, limit: number): Promise<ConsentAct[]> {
    const statement = this.#shard(hash)
      .prepare(
        `SELECT a.version, a.action, a.preferences AS signed_preferences, a.signature, a.signer, k.public_key, a.recorded_at
         FROM consent_acts a JOIN consent_keys k ON k.user_id = a.user_id
         WHERE a.content_hash = ?1 AND a.version > ?2 AND a.recorded_at <= ?3 ORDER BY a.version LIMIT ?4`,
      )
      .bind(hash, after, at, limit)
    const { results } = await reaching('consent', () => statement.all<ActRow>())
    return results.map((row) => ({ version: row.version, ...signedOf(row), recorded_at: row.recorded_at }))
  }

  /** What a record declared at a time; null when it had no act by then. */
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
   * Records after an identifier as they stood before `at`, in order, revoked ones with `preferences` null: a page is
   * bounded by what it reads, so that it can say how far it got.
   */
  async snapshot(at: number, after: string | null, limit: number): Promise<SnapshotRow[]> {
    const rows = await this.#everywhere<Omit<BriefRow, 'preferences'> & { preferences: string | null }>(
      `SELECT r.content_hash, r.creator_did, CASE
         WHEN r.updated_at >= ?1 THEN (SELECT a.state FROM consent_acts a
           WHERE a.content_hash = r.content_hash AND a.recorded_at < ?1 ORDER BY a.version DESC LIMIT 1)
         WHEN r.status = 'published' THEN r.preferences END AS preferences
       FROM consent_records r WHERE r.content_hash > ?2 AND r.created_at < ?1 ORDER BY r.content_hash LIMIT ?3`,
      [at, after ?? '', limit],
    )
    return this.#merged(rows, limit).map(({ content_hash: hash, creator_did: creatorDid, preferences }) => ({
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

  /** The first of what each database has given in order. */
  #merged<Row extends { content_hash: string }>(pages: readonly Row[][], limit: number): Row[] {
    const [only = []] = pages
    if (pages.length === 1) return only
    return pages
      .flat()
      .toSorted((a, b) => compareHashes(a.content_hash, b.content_hash))
      .slice(0, limit)
  }

  #shard(hash: string): D1Database {
    return this.#at(shardOf(hash, this.#shards.length))
  }

  #at(shard: number): D1Database {
    return this.#shards[shard] ?? this.#shards[0]
  }
}

export interface SnapshotRow {
  readonly hash: string
  readonly creatorDid: string | null
  readonly preferences: Preferences | null
}

const preferencesOf = (text: string | null) => (text === null ? null : (JSON.parse(text) as Preferences))

/** Few texts of preferences are different ones: ten thousand records are parsed as a handful. */
function briefsOf(rows: readonly BriefRow[]): BriefRecord[] {
  const parsed = new Map<string, Preferences>()
  return rows.map((row) => {
    const preferences = parsed.get(row.preferences) ?? (JSON.parse(row.preferences) as Preferences)
    parsed.set(row.preferences, preferences)
    return briefOf(row, preferences)
  })
}

function briefOf({ content_hash, creator_did, version, updated_at }: BriefRow, preferences: Preferences): BriefRecord {
  return { hash: content_hash, creatorDid: creator_did, preferences, version, updatedAt: updated_at }
}

function fullOf(row: FullRow): FullRecord {
  const { action, signature, signer, public_key, signed_preferences } = row
  const hasAct = action !== null && signature !== null && signer !== null && public_key !== null
  return {
    ...briefOf(row, JSON.parse(row.preferences) as Preferences),
    status: row.status,
    lastAct: row.last_act,
    remembersAct: row.remembers_act === 1,
    createdAt: row.created_at,
    act: hasAct ? signedOf({ action, signature, signer, public_key, signed_preferences }) : null,
  }
}

function signedOf(row: Omit<ActRow, 'version' | 'recorded_at'>) {
  return {
    action: row.action,
    preferences: preferencesOf(row.signed_preferences),
    signature_b64u: row.signature,
    signer: JSON.parse(row.signer) as ConsentSigner,
    public_key_b64u: row.public_key,
  }
}

import type { Sql } from '@svc/objects'
import { bytesOf } from '@svc/protocol/base/base64url'
import { fromHex } from '@svc/protocol/base/hash'
import { userIdOfKey } from '@svc/protocol/base/identity'
import type { ConsentAct, ConsentSigner, Preferences } from '@svc/protocol/consent/consent'
import { creatorHash, identifierHash } from '@svc/protocol/consent/identifiers'
import {
  type EntryRow,
  entryOf,
  type KeptEntry,
  type KeptRecord,
  preferencesOf,
  type RecordRow,
  recordOf,
} from './rows.ts'

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

export interface HistoryQuery {
  readonly at: number
  readonly after: number
  readonly limit: number
}

/** An act as it is written: of a creator, or of the operator. */
export interface WrittenAct {
  readonly version: number
  readonly actHash: string
  readonly action: ConsentAct['action'] | 'settle'
  readonly preferences: string | null
  readonly state: string | null
  readonly publicKeyB64u: string
  readonly signatureB64u: string
  readonly signer: string
  readonly recordedAt: number
  readonly settlement?: string
  readonly previousCreatorDid?: string
  readonly previousCreatorHash?: string
}

/** What of a record a write changes. */
export interface RecordState {
  readonly creatorDid: string | null
  readonly preferences: Preferences
  readonly status: 'published' | 'revoked'
  readonly version: number
  readonly heldFrom: number
  readonly updatedAt: number
}

const FULL = `SELECT r.id, r.creator_did, r.preferences, r.status, r.version, r.held_from, r.updated_at, r.revision,
    coalesce((SELECT f.recorded_at FROM acts f WHERE r.held_from > 0 AND f.record = r.id AND f.version = r.held_from + 1),
      r.created_at) AS created_at,
    a.act_hash AS last_act, a.action, a.preferences AS signed_preferences, s.signature, a.place, a.signer, k.public_key
  FROM records r
    LEFT JOIN acts a ON a.record = r.id AND a.version = r.version
    LEFT JOIN signatures s ON s.act = a.id
    LEFT JOIN keys k ON k.id = a.key
  WHERE r.bucket = ? AND r.identifier_hash = ?`

/** Records, their acts and keys. Everything runs inside a transaction of the store. */
export class RecordTable {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  /** The row of a record with its newest act. */
  row(bucket: number, hash: string): RecordRow | null {
    return this.#sql.exec<RecordRow>(FULL, bucket, identifierHash(hash)).toArray()[0] ?? null
  }

  /** The record, and whether the act with this hash was accepted before, or counted as a claim to it. */
  find(bucket: number, hash: string, actHash: string | null): { id: number; record: KeptRecord } | null {
    const row = this.row(bucket, hash)
    return row && { id: row.id, record: recordOf(hash, row, actHash !== null && this.remembers(row.id, actHash)) }
  }

  remembers(id: number, actHash: string): boolean {
    return (
      this.hasAct(id, actHash) ||
      this.#has('SELECT 1 FROM claims c, json_each(c.spent) s WHERE c.record = ? AND s.value = ? LIMIT 1', id, actHash)
    )
  }

  hasAct(id: number, actHash: string): boolean {
    return this.#has('SELECT 1 FROM acts WHERE record = ? AND act_hash = ?', id, fromHex(actHash))
  }

  /** A record without acts; the caller adds the first one. */
  add(bucket: number, hash: string, state: RecordState, createdAt: number): number {
    const insert = `INSERT INTO records (bucket, identifier_hash, content_hash, creator_did, creator_hash, preferences, status,
        version, held_from, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`
    const { creatorDid, preferences, status, version, heldFrom, updatedAt } = state
    const names = [identifierHash(hash), hash, creatorDid, creatorDid && creatorHash(hash, creatorDid)]
    const values = [JSON.stringify(preferences), status, version, heldFrom, createdAt, updatedAt]
    return this.#sql.exec<{ id: number }>(insert, bucket, ...names, ...values).one().id
  }

  change(
    id: number,
    hash: string,
    { creatorDid, preferences, status, version, heldFrom, updatedAt }: RecordState,
  ): void {
    this.#sql.exec(
      `UPDATE records SET creator_did = ?2, creator_hash = ?8, preferences = ?3, status = ?4, version = ?5, held_from = ?6,
         updated_at = ?7 WHERE id = ?1`,
      id,
      creatorDid,
      JSON.stringify(preferences),
      status,
      version,
      heldFrom,
      updatedAt,
      creatorDid && creatorHash(hash, creatorDid),
    )
  }

  /** Call in each transaction that changes a record or a claim. Keeps the identifier while a list has it. */
  revise(id: number, hash: string): void {
    this.#sql.exec(
      `UPDATE records SET revision = revision + 1, content_hash = CASE WHEN status = 'published'
         OR EXISTS (SELECT 1 FROM claims WHERE record = ?1 AND act_hash IS NOT NULL) THEN ?2 END WHERE id = ?1`,
      id,
      hash,
    )
  }

  addAct(id: number, bucket: number, act: WrittenAct): void {
    const { id: actId } = this.#sql
      .exec<{ id: number }>(
        `INSERT INTO acts (record, version, act_hash, action, preferences, state, key, signer, recorded_at, settlement,
           previous_creator_did, previous_creator_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
        id,
        act.version,
        fromHex(act.actHash),
        act.action,
        act.preferences,
        act.state,
        this.keyId(act.publicKeyB64u),
        act.signer,
        act.recordedAt,
        act.settlement ?? null,
        act.previousCreatorDid ?? null,
        act.previousCreatorHash ?? null,
      )
      .one()
    const signature = bytesOf(act.signatureB64u)
    this.#sql.exec('INSERT INTO signatures (act, bucket, signature) VALUES (?, ?, ?)', actId, bucket, signature)
  }

  /** The number of a key in this store. */
  keyId(publicKeyB64u: string): number {
    const userId = userIdOfKey(publicKeyB64u)
    const [known] = this.#sql.exec<{ id: number }>('SELECT id FROM keys WHERE user_id = ?', userId).toArray()
    if (known) return known.id
    const insert = 'INSERT INTO keys (user_id, public_key) VALUES (?, ?) RETURNING id'
    return this.#sql.exec<{ id: number }>(insert, userId, bytesOf(publicKeyB64u)).one().id
  }

  /** The acts of a creator who loses the record stay counted. */
  keepFormerActs(id: number, creatorDid: string, acts: number): void {
    this.#sql.exec(
      `INSERT INTO former_acts (record, creator_did, acts) VALUES (?1, ?2, ?3)
       ON CONFLICT (record, creator_did) DO UPDATE SET acts = acts + ?3`,
      id,
      creatorDid,
      acts,
    )
  }

  /** Acts recorded up to `at`, after a version. */
  acts(id: number, hash: string, { at, after, limit }: HistoryQuery): KeptEntry[] {
    return this.#sql
      .exec<EntryRow>(
        `SELECT a.version, a.action, a.preferences AS signed_preferences, s.signature, a.place, a.signer, k.public_key,
           k.user_id, a.recorded_at, a.settlement, a.previous_creator_did
         FROM acts a JOIN keys k ON k.id = a.key LEFT JOIN signatures s ON s.act = a.id
         WHERE a.record = ?1 AND a.version > ?2 AND a.recorded_at <= ?3 ORDER BY a.version LIMIT ?4`,
        id,
        after,
        at,
        limit,
      )
      .toArray()
      .map((row) => entryOf(hash, row))
  }

  /** Who held the identifier at a time, if another creator has got it since. */
  formerCreator(id: number, at: number): string | null {
    const select = `SELECT previous_creator_did AS did FROM acts
      WHERE record = ? AND action = 'settle' AND recorded_at > ? ORDER BY version LIMIT 1`
    return this.#sql.exec<{ did: string }>(select, id, at).toArray()[0]?.did ?? null
  }

  /** What a record declared at a time; null if it had no act by then. */
  stateAt(id: number, at: number): { version: number; preferences: Preferences | null } | null {
    const select = `SELECT version, state FROM acts
      WHERE record = ? AND recorded_at <= ? ORDER BY version DESC LIMIT 1`
    const [row] = this.#sql.exec<{ version: number; state: string | null }>(select, id, at).toArray()
    return row ? { version: row.version, preferences: preferencesOf(row.state) } : null
  }

  #has(select: string, ...values: SqlStorageValue[] | (SqlStorageValue | Uint8Array)[]): boolean {
    return this.#sql.exec(select, ...values).toArray().length > 0
  }
}

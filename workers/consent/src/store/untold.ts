import type { Sql } from '@svc/objects'
import { MAX_RETRY_MS, RETRY_MS } from '@svc/objects/retry'
import { toHex } from '@svc/protocol/base/hash'
import type { Preferences } from '@svc/protocol/consent/consent'
import type { Holding, Told } from '../creator/holding.ts'

type Row = {
  record: number
  creator_did: string
  identifier_hash: string
  content_hash: string | null
  revision: number
  holder: string | null
  status: 'published' | 'revoked'
  preferences: string
  version: number
  held_from: number
  updated_at: number
  last_act: ArrayBuffer | null
  claim: string | null
  former_acts: number | null
}

const SELECT = `SELECT u.record, u.creator_did, r.identifier_hash, r.content_hash, r.revision, r.creator_did AS holder, r.status, r.preferences,
    r.version, r.held_from, r.updated_at, a.act_hash AS last_act, c.act_hash AS claim, f.acts AS former_acts
  FROM untold u JOIN records r ON r.id = u.record
    LEFT JOIN acts a ON a.record = r.id AND a.version = r.version
    LEFT JOIN claims c ON c.record = r.id AND c.creator_did = u.creator_did
    LEFT JOIN former_acts f ON f.record = r.id AND f.creator_did = u.creator_did`

/** One that waits, with the number of its record here. */
export interface Waiting extends Told {
  readonly record: number
}

/**
 * What the lists of creators do not have yet: the outbox of the store. A row says who is to be told about which record;
 * what they are told is read when it is sent, so that a row stands for all changes since.
 */
export class UntoldTable {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  /** In the transaction of the change. */
  add(record: number, creatorDid: string, dueAt: number): void {
    this.#sql.exec(
      'INSERT INTO untold (record, creator_did, attempts, due_at) VALUES (?, ?, 0, ?) ON CONFLICT DO NOTHING',
      record,
      creatorDid,
      dueAt,
    )
  }

  dueAt(): number | null {
    return this.#sql.exec<{ at: number | null }>('SELECT min(due_at) AS at FROM untold').one().at
  }

  /** What is due, some of it. */
  due(now: number, limit: number): Waiting[] {
    return this.#sql.exec<Row>(`${SELECT} WHERE u.due_at <= ? LIMIT ?`, now, limit).toArray().map(waitingOf)
  }

  of(record: number): Waiting[] {
    return this.#sql.exec<Row>(`${SELECT} WHERE u.record = ?`, record).toArray().map(waitingOf)
  }

  /** The list of the creator has it, unless the record has changed since. */
  told({ record, did, holding }: Waiting): void {
    this.#sql.exec(
      `DELETE FROM untold WHERE record = ?1 AND creator_did = ?2
         AND EXISTS (SELECT 1 FROM records WHERE id = ?1 AND revision = ?3)`,
      record,
      did,
      holding.revision,
    )
  }

  failed({ record, did }: Waiting, now: number): void {
    this.#sql.exec(
      `UPDATE untold SET attempts = attempts + 1, due_at = ?3 + min(?4 << min(attempts, 20), ?5)
       WHERE record = ?1 AND creator_did = ?2`,
      record,
      did,
      now,
      RETRY_MS,
      MAX_RETRY_MS,
    )
  }
}

function waitingOf(row: Row): Waiting {
  return { record: row.record, did: row.creator_did, holding: holdingOf(row) }
}

function holdingOf(row: Row): Holding {
  const isHolder = row.holder === row.creator_did
  const { identifier_hash: identifierHash, revision, version, updated_at: updatedAt } = row
  const published = isHolder && row.status === 'published'
  const isClaimed = row.claim !== null
  return {
    identifierHash,
    hash: published || isClaimed ? row.content_hash : null,
    revision,
    published: published ? { preferences: JSON.parse(row.preferences) as Preferences, version, updatedAt } : null,
    isClaimed,
    acts: (row.former_acts ?? 0) + (isHolder ? version - row.held_from : 0),
    written: [
      ...(row.last_act === null ? [] : [toHex(new Uint8Array(row.last_act))]),
      ...(row.claim === null ? [] : [row.claim]),
    ],
  }
}

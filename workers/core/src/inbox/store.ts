import type { Sql } from '@svc/objects'
import type { ContactEnvelope, InboxMessage, InboxSettings } from '@svc/protocol/inbox/inbox'
import { type ContactRow, DELIVERED_COUNTS_MS } from './rules.ts'

interface RequestRow {
  [column: string]: SqlStorageValue
  request_id: string
  asset_id: string
  kem_key_id: string
  address: string | null
  code_hash: string
  sent_at: number
  expires_at: number
  sends: number
  attempts: number
  envelope_hash: string | null
  delivered_at: number | null
}

interface MessageRow {
  [column: string]: SqlStorageValue
  seq: number
  msg_id: string
  request_id: string
  asset_id: string
  envelope: string
  received_at: number
  read_at: number | null
}

export type NewContact = Pick<ContactRow, 'requestId' | 'assetId' | 'kemKeyId' | 'codeHash'> & {
  readonly address: string
}
/** The code of a request. */
export type CodeState = Pick<ContactRow, 'codeHash' | 'sentAt' | 'expiresAt' | 'sends'>

/** Of an inbox that was never set otherwise. */
export const DEFAULT_SETTINGS: InboxSettings = { acceptsFrom: 'anyone' }

/** Messages, open requests and settings of one owner, in the SQLite of their object. */
export class InboxStore {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  admissions(): number[] {
    const rows = this.#sql.exec<{ until: number }>('SELECT until FROM admissions ORDER BY until').toArray()
    return rows.map(({ until }) => until)
  }

  putRequest({ requestId, assetId, kemKeyId, address, codeHash }: NewContact, { sentAt, expiresAt }: CodeState): void {
    this.#sql.exec(
      `INSERT INTO requests (request_id, asset_id, kem_key_id, address, code_hash, sent_at, expires_at, sends, attempts)
       VALUES (?, ?, ?, ?, ?, ?, ?, 1, 0)`,
      requestId,
      assetId,
      kemKeyId,
      address,
      codeHash,
      sentAt,
      expiresAt,
    )
    this.#sql.exec('INSERT INTO admissions (request_id, until) VALUES (?, ?)', requestId, expiresAt)
  }

  request(requestId: string): ContactRow | null {
    const [row] = this.#sql
      .exec<RequestRow>(
        `SELECT request_id, asset_id, kem_key_id, address, code_hash, sent_at, expires_at, sends, attempts,
           envelope_hash, delivered_at FROM requests WHERE request_id = ?`,
        requestId,
      )
      .toArray()
    return row ? contactOf(row) : null
  }

  dropRequest(requestId: string): void {
    this.#sql.exec('DELETE FROM requests WHERE request_id = ?', requestId)
  }

  dropAdmission(requestId: string): void {
    this.#sql.exec('DELETE FROM admissions WHERE request_id = ?', requestId)
  }

  countAttempt(requestId: string): void {
    this.#sql.exec('UPDATE requests SET attempts = attempts + 1 WHERE request_id = ?', requestId)
  }

  putCode(requestId: string, { codeHash, sentAt, expiresAt, sends }: CodeState): void {
    this.#sql.exec(
      'UPDATE requests SET code_hash = ?, sent_at = ?, expires_at = ?, sends = ? WHERE request_id = ?',
      codeHash,
      sentAt,
      expiresAt,
      sends,
      requestId,
    )
    this.#sql.exec('UPDATE admissions SET until = ? WHERE request_id = ?', expiresAt, requestId)
  }

  /** Stores the message and deletes the address, in the caller's transaction. */
  deliver(
    { requestId, assetId }: ContactRow,
    envelope: { readonly json: string; readonly hash: string },
    msgId: string,
    now: number,
  ): void {
    this.#sql.exec(
      'UPDATE requests SET address = NULL, envelope_hash = ?, delivered_at = ? WHERE request_id = ?',
      envelope.hash,
      now,
      requestId,
    )
    this.#sql.exec('UPDATE admissions SET until = ? WHERE request_id = ?', now + DELIVERED_COUNTS_MS, requestId)
    this.#sql.exec(
      'INSERT INTO messages (msg_id, request_id, asset_id, envelope, received_at) VALUES (?, ?, ?, ?, ?)',
      msgId,
      requestId,
      assetId,
      envelope.json,
      now,
    )
  }

  counts(): { readonly total: number; readonly unread: number } {
    return this.#sql
      .exec<{ total: number; unread: number }>(
        'SELECT count(*) AS total, count(*) - count(read_at) AS unread FROM messages',
      )
      .one()
  }

  /** Newest first, below an index; read one by one, so that a caller who ends a page early reads no further. */
  *messages(before: number, limit: number): Generator<{ readonly seq: number; readonly message: InboxMessage }> {
    const rows = this.#sql.exec<MessageRow>(
      `SELECT seq, msg_id, request_id, asset_id, envelope, received_at, read_at FROM messages
       WHERE seq < ? ORDER BY seq DESC LIMIT ?`,
      before,
      limit,
    )
    for (const row of rows) yield { seq: row.seq, message: messageOf(row) }
  }

  /** When it was first read; null if there is no such message. */
  markRead(msgId: string, now: number): number | null {
    const [row] = this.#sql
      .exec<{ read_at: number }>(
        'UPDATE messages SET read_at = coalesce(read_at, ?) WHERE msg_id = ? RETURNING read_at',
        now,
        msgId,
      )
      .toArray()
    return row?.read_at ?? null
  }

  deleteMessage(msgId: string): boolean {
    return this.#sql.exec('DELETE FROM messages WHERE msg_id = ? RETURNING 1', msgId).toArray().length > 0
  }

  settings(): InboxSettings {
    const [row] = this.#sql
      .exec<{ accepts_from: InboxSettings['acceptsFrom'] }>('SELECT accepts_from FROM settings')
      .toArray()
    return row ? { acceptsFrom: row.accepts_from } : DEFAULT_SETTINGS
  }

  putSettings({ acceptsFrom }: InboxSettings): void {
    if (acceptsFrom === DEFAULT_SETTINGS.acceptsFrom) this.#sql.exec('DELETE FROM settings')
    else this.#sql.exec('INSERT OR REPLACE INTO settings (id, accepts_from) VALUES (0, ?)', acceptsFrom)
  }

  /** Deletes expired requests, with their addresses, and admissions that no longer count. */
  forget(now: number): void {
    this.#sql.exec('DELETE FROM requests WHERE expires_at <= ?', now)
    this.#sql.exec('DELETE FROM admissions WHERE until <= ?', now)
  }

  /** When something next expires; `empty` if the inbox holds nothing at all. */
  nextForgetting(): number | 'never' | 'empty' {
    const { due } = this.#sql
      .exec<{ due: number | null }>(
        `SELECT min(due) AS due FROM (
           SELECT min(expires_at) AS due FROM requests UNION ALL SELECT min(until) FROM admissions
           UNION ALL SELECT min(due_at) FROM unreported)`,
      )
      .one()
    if (due !== null) return due
    const isNew = this.settings().acceptsFrom === DEFAULT_SETTINGS.acceptsFrom
    return isNew && this.counts().total === 0 ? 'empty' : 'never'
  }
}

function contactOf(row: RequestRow): ContactRow {
  return {
    requestId: row.request_id,
    assetId: row.asset_id,
    kemKeyId: row.kem_key_id,
    address: row.address,
    codeHash: row.code_hash,
    sentAt: row.sent_at,
    expiresAt: row.expires_at,
    sends: row.sends,
    attempts: row.attempts,
    delivered:
      row.envelope_hash === null || row.delivered_at === null
        ? null
        : { envelopeHash: row.envelope_hash, at: row.delivered_at },
  }
}

function messageOf(row: MessageRow): InboxMessage {
  return {
    msgId: row.msg_id,
    requestId: row.request_id,
    assetId: row.asset_id,
    envelope: JSON.parse(row.envelope) as ContactEnvelope,
    receivedAt: row.received_at,
    readAt: row.read_at,
  }
}

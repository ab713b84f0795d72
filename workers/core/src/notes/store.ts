import type { Sql } from '@svc/objects'
import { toHex } from '@svc/protocol/base/hash'
import { MerkleLog } from '@svc/protocol/merkle/log'
import type { Attachment, NoteEntry, VersionSummary } from '@svc/protocol/notes/api'
import { changeLeaf, type NoteChange } from '@svc/protocol/notes/log'
import { NOTE_TYPE, type SignedNote } from '@svc/protocol/notes/notes'
import type { NoteStatus, Operation } from './rules.ts'

/** A version as stored; `record` is the JSON of statement and signature. */
export interface VersionRow extends Readonly<VersionSummary> {
  readonly noteId: string
  readonly cipherHash: string
  readonly record: string
}

interface NoteRow {
  [column: string]: SqlStorageValue
  note_id: string
  status: NoteStatus
  version: number
  seq: number
  record_hash: string
  bytes: number
  attachments: number
  created_at: number
  updated_at: number
}

type Row = Record<string, SqlStorageValue>

const VERSION_COLUMNS =
  'note_id, version, seq, record_hash, cipher_hash, bytes, key_id, operation, follows, record, accepted_at'
const NOTE_COLUMNS = 'note_id, status, version, seq, record_hash, bytes, attachments, created_at, updated_at'

/** Notes, their versions and attachments, and a vault's log, in its object's SQLite. */
export class VaultStore {
  readonly #sql: Sql
  readonly tree: MerkleLog

  constructor(sql: Sql) {
    this.#sql = sql
    this.tree = new MerkleLog((level, index) => this.#node(level, index))
  }

  size(): number {
    return this.#sql.exec<{ n: number }>('SELECT coalesce(max(seq) + 1, 0) AS n FROM changes').one().n
  }

  /** Root over the first `size` entries, as hex. */
  root(size: number): string {
    return toHex(this.tree.root(size))
  }

  note(noteId: string): NoteEntry | null {
    const [row] = this.#sql.exec<NoteRow>(`SELECT ${NOTE_COLUMNS} FROM notes WHERE note_id = ?`, noteId).toArray()
    return row ? entryOf(row) : null
  }

  /** Notes whose newest change is at `from` or later, in that order. */
  notes(from: number, limit: number): NoteEntry[] {
    return this.#sql
      .exec<NoteRow>(`SELECT ${NOTE_COLUMNS} FROM notes WHERE seq >= ? ORDER BY seq LIMIT ?`, from, limit)
      .toArray()
      .map(entryOf)
  }

  addVersion(row: VersionRow): void {
    this.#sql.exec(
      `INSERT INTO versions (${VERSION_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      row.noteId,
      row.version,
      row.seq,
      row.recordHash,
      row.cipherHash,
      row.bytes,
      row.keyId,
      row.operation,
      row.follows,
      row.record,
      row.acceptedAt,
    )
    this.#sql.exec(
      `INSERT INTO notes (${NOTE_COLUMNS}) VALUES (?, 'stored', ?, ?, ?, ?, 0, ?, ?)
       ON CONFLICT (note_id) DO UPDATE SET version = excluded.version, seq = excluded.seq,
         record_hash = excluded.record_hash, bytes = excluded.bytes, updated_at = excluded.updated_at`,
      row.noteId,
      row.version,
      row.seq,
      row.recordHash,
      row.bytes,
      row.acceptedAt,
      row.acceptedAt,
    )
    const { seq, noteId, version, recordHash, acceptedAt } = row
    this.#log({ seq, noteId, kind: 'version', version, attachmentId: null, recordHash, acceptedAt })
  }

  version(noteId: string, version: number): VersionRow | null {
    return this.#oneVersion('note_id = ? AND version = ?', noteId, version)
  }

  versionOf(recordHash: string): VersionRow | null {
    return this.#oneVersion('record_hash = ?', recordHash)
  }

  #oneVersion(where: string, ...values: (string | number)[]): VersionRow | null {
    const [row] = this.#sql.exec<Row>(`SELECT ${VERSION_COLUMNS} FROM versions WHERE ${where}`, ...values).toArray()
    return row ? versionOf(row) : null
  }

  versions(noteId: string, from: number, limit: number): VersionSummary[] {
    return this.#sql
      .exec<Row>(
        `SELECT version, seq, record_hash, follows, key_id, operation, bytes, accepted_at FROM versions
         WHERE note_id = ? AND version >= ? ORDER BY version LIMIT ?`,
        noteId,
        from,
        limit,
      )
      .toArray()
      .map(summaryOf)
  }

  addAttachment(noteId: string, { attachmentId, cipherHash, bytes, seq, addedAt }: Attachment): void {
    this.#sql.exec(
      'INSERT INTO attachments (note_id, attachment_id, cipher_hash, bytes, seq, added_at) VALUES (?, ?, ?, ?, ?, ?)',
      noteId,
      attachmentId,
      cipherHash,
      bytes,
      seq,
      addedAt,
    )
    this.#sql.exec(
      'UPDATE notes SET seq = ?, updated_at = ?, attachments = attachments + 1 WHERE note_id = ?',
      seq,
      addedAt,
      noteId,
    )
    const change = { seq, noteId, version: null, attachmentId, recordHash: cipherHash, acceptedAt: addedAt }
    this.#log({ ...change, kind: 'attachment' })
  }

  attachment(noteId: string, attachmentId: string): Attachment | null {
    return this.#attachments('note_id = ? AND attachment_id = ?', noteId, attachmentId)[0] ?? null
  }

  attachments(noteId: string): Attachment[] {
    return this.#attachments('note_id = ?', noteId)
  }

  #attachments(where: string, ...values: string[]): Attachment[] {
    return this.#sql
      .exec<Row>(
        `SELECT attachment_id, cipher_hash, bytes, seq, added_at FROM attachments WHERE ${where} ORDER BY seq`,
        ...values,
      )
      .toArray()
      .map((row) => ({
        attachmentId: row['attachment_id'] as string,
        cipherHash: row['cipher_hash'] as string,
        bytes: row['bytes'] as number,
        seq: row['seq'] as number,
        addedAt: row['added_at'] as number,
      }))
  }

  /** Deletes the note's records; its name, its log entries and the hash of its newest version are kept. */
  erase(noteId: string, seq: number, now: number): void {
    this.#sql.exec('DELETE FROM versions WHERE note_id = ?', noteId)
    this.#sql.exec('DELETE FROM attachments WHERE note_id = ?', noteId)
    this.#sql.exec(
      "UPDATE notes SET status = 'tombstoned', seq = ?, bytes = 0, attachments = 0, updated_at = ? WHERE note_id = ?",
      seq,
      now,
      noteId,
    )
    const change = { seq, noteId, version: null, attachmentId: null, recordHash: null, acceptedAt: now }
    this.#log({ ...change, kind: 'tombstone' })
  }

  /** How many versions and attachments a note has in the log, erased or not. */
  countLogged(noteId: string): { readonly versions: number; readonly attachments: number } {
    return this.#sql
      .exec<{ versions: number; attachments: number }>(
        `SELECT coalesce(sum(kind = 'version'), 0) AS versions, coalesce(sum(kind = 'attachment'), 0) AS attachments
         FROM changes WHERE note_id = ?`,
        noteId,
      )
      .one()
  }

  /** The hash of the newest version, including that of an erased note. */
  lastRecordHash(noteId: string): string {
    return this.#sql.exec<{ hash: string }>('SELECT record_hash AS hash FROM notes WHERE note_id = ?', noteId).one()
      .hash
  }

  changes(from: number, to: number): NoteChange[] {
    return this.#sql
      .exec<Row>(
        `SELECT seq, note_id, kind, version, attachment_id, record_hash, accepted_at FROM changes
         WHERE seq >= ? AND seq < ? ORDER BY seq`,
        from,
        to,
      )
      .toArray()
      .map((row) => ({
        seq: row['seq'] as number,
        noteId: row['note_id'] as string,
        kind: row['kind'] as NoteChange['kind'],
        version: row['version'] as number | null,
        attachmentId: row['attachment_id'] as string | null,
        recordHash: row['record_hash'] as string | null,
        acceptedAt: row['accepted_at'] as number,
      }))
  }

  /** Whether a statement is presented for the first time; it is stored for as long as it could be replayed. */
  spendStatement(hash: string, keepUntil: number, now: number): boolean {
    this.#sql.exec('DELETE FROM statements WHERE keep_until < ?', now)
    return (
      this.#sql
        .exec(
          'INSERT INTO statements (hash, keep_until) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING 1',
          hash,
          keepUntil,
        )
        .toArray().length === 1
    )
  }

  #log(change: NoteChange): void {
    this.#sql.exec(
      'INSERT INTO changes (seq, note_id, kind, version, attachment_id, record_hash, accepted_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
      change.seq,
      change.noteId,
      change.kind,
      change.version,
      change.attachmentId,
      change.recordHash,
      change.acceptedAt,
    )
    for (const { level, index, hash } of this.tree.append(change.seq, changeLeaf(change))) {
      this.#sql.exec('INSERT INTO nodes (level, idx, hash) VALUES (?, ?, ?)', level, index, hash)
    }
  }

  #node(level: number, index: number): Uint8Array {
    const { hash } = this.#sql
      .exec<{ hash: ArrayBuffer }>('SELECT hash FROM nodes WHERE level = ? AND idx = ?', level, index)
      .one()
    return new Uint8Array(hash)
  }
}

/** Statement and signature of a row, verified when it was accepted; null if it is not a version-2 note. */
export function recordOf({ record }: Pick<VersionRow, 'record'>): SignedNote | null {
  const parsed = JSON.parse(record) as Partial<SignedNote> | null
  return parsed?.statement?.type === NOTE_TYPE ? (parsed as SignedNote) : null
}

function entryOf(row: NoteRow): NoteEntry {
  return {
    noteId: row.note_id,
    status: row.status,
    version: row.version,
    seq: row.seq,
    recordHash: row.status === 'stored' ? row.record_hash : null,
    bytes: row.bytes,
    attachments: row.attachments,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

function summaryOf(row: Row): VersionSummary {
  return {
    version: row['version'] as number,
    seq: row['seq'] as number,
    recordHash: row['record_hash'] as string,
    follows: row['follows'] as string | null,
    keyId: row['key_id'] as string,
    operation: row['operation'] as Operation,
    bytes: row['bytes'] as number,
    acceptedAt: row['accepted_at'] as number,
  }
}

function versionOf(row: Row): VersionRow {
  return {
    ...summaryOf(row),
    noteId: row['note_id'] as string,
    cipherHash: row['cipher_hash'] as string,
    record: row['record'] as string,
  }
}

import type { BlobRef } from '@svc/protocol/note-api'
import type { VaultUsage } from './vault.ts'

export interface Blob {
  readonly cipherHash: string
  readonly r2Key: string
  readonly bytes: number
  readonly refs: number
  readonly unreferencedSince: number | null
}

interface BlobRow {
  [column: string]: SqlStorageValue
  cipher_hash: string
  r2_key: string
  bytes: number
  refs: number
  unreferenced_since: number | null
}

const REFERENCES = 'SELECT cipher_hash FROM versions UNION ALL SELECT cipher_hash FROM attachments'

type Totals = { bytes: number; objects: number; refs: number }

const COLUMNS = 'cipher_hash, r2_key, bytes, refs, unreferenced_since'

/**
 * Which ciphertexts a vault has, where they are in R2, and how many versions and attachments refer to each.
 *
 * An upload always goes to a key of its own, so a key that was condemned is never written again and deleting it late
 * can destroy nothing: whoever sends the same ciphertext meanwhile brings it under another key.
 */
export class BlobIndex {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  createTables(): void {
    this.#sql.exec(
      `CREATE TABLE IF NOT EXISTS blobs (
         cipher_hash TEXT PRIMARY KEY, r2_key TEXT NOT NULL UNIQUE, bytes INTEGER NOT NULL, refs INTEGER NOT NULL,
         unreferenced_since INTEGER
       ) STRICT, WITHOUT ROWID`,
    )
    this.#sql.exec(
      'CREATE INDEX IF NOT EXISTS blobs_waiting ON blobs (unreferenced_since) WHERE unreferenced_since IS NOT NULL',
    )
    this.#sql.exec('CREATE TABLE IF NOT EXISTS condemned (r2_key TEXT PRIMARY KEY) STRICT, WITHOUT ROWID')
    this.#sql.exec(
      'CREATE TABLE IF NOT EXISTS usage (id INTEGER PRIMARY KEY CHECK (id = 0), bytes INTEGER NOT NULL, objects INTEGER NOT NULL, refs INTEGER NOT NULL) STRICT',
    )
    this.#sql.exec('INSERT INTO usage (id, bytes, objects, refs) VALUES (0, 0, 0, 0) ON CONFLICT DO NOTHING')
  }

  usage(): VaultUsage {
    return this.#sql.exec<Totals>('SELECT bytes, objects, refs FROM usage').one()
  }

  find(cipherHash: string): Blob | null {
    const [row] = this.#sql.exec<BlobRow>(`SELECT ${COLUMNS} FROM blobs WHERE cipher_hash = ?`, cipherHash).toArray()
    return row ? blobOf(row) : null
  }

  /** A blob that is there, with a reference that is about to be written or none. It may have some already, if it was lost. */
  add(cipherHash: string, r2Key: string, bytes: number, newRefs: 0 | 1): void {
    this.#sql.exec(
      'INSERT INTO blobs (cipher_hash, r2_key, bytes, refs, unreferenced_since) VALUES (?, ?, ?, ?, NULL)',
      cipherHash,
      r2Key,
      bytes,
      this.countRefs(cipherHash) + newRefs,
    )
    this.#sql.exec('UPDATE usage SET bytes = bytes + ?, objects = objects + 1, refs = refs + ?', bytes, newRefs)
  }

  /** Of a blob whose object is gone: what refers to it waits for somebody to send it again. */
  drop({ cipherHash, r2Key }: Pick<Blob, 'cipherHash' | 'r2Key'>): void {
    this.#sql.exec('DELETE FROM blobs WHERE cipher_hash = ? AND r2_key = ?', cipherHash, r2Key)
  }

  /** One reference more, which also takes back that the blob may go. */
  refer(cipherHash: string): void {
    this.#sql.exec('UPDATE blobs SET refs = refs + 1, unreferenced_since = NULL WHERE cipher_hash = ?', cipherHash)
    this.#sql.exec('UPDATE usage SET refs = refs + 1')
  }

  /** Every reference of a note less, before its rows go. */
  releaseNote(noteId: string, now: number): void {
    this.#sql.exec(
      `UPDATE usage SET refs = refs - (SELECT count(*) FROM versions WHERE note_id = ?)
                                    - (SELECT count(*) FROM attachments WHERE note_id = ?)`,
      noteId,
      noteId,
    )
    this.#sql.exec(
      `UPDATE blobs SET refs = refs - gone.n, unreferenced_since = CASE WHEN refs = gone.n THEN ? ELSE NULL END
       FROM (SELECT cipher_hash, count(*) AS n FROM (
               SELECT cipher_hash FROM versions WHERE note_id = ? UNION ALL SELECT cipher_hash FROM attachments WHERE note_id = ?
             ) GROUP BY cipher_hash) AS gone
       WHERE blobs.cipher_hash = gone.cipher_hash`,
      now,
      noteId,
      noteId,
    )
  }

  page(after: string, limit: number): BlobRef[] {
    return this.#sql
      .exec<BlobRow>(`SELECT ${COLUMNS} FROM blobs WHERE cipher_hash > ? ORDER BY cipher_hash LIMIT ?`, after, limit)
      .toArray()
      .map(blobOf)
      .map(refOf)
  }

  /** Those that nothing has referred to since `before` or longer, the oldest first. */
  collectable(before: number, limit: number): Blob[] {
    return this.#sql
      .exec<BlobRow>(
        `SELECT ${COLUMNS} FROM blobs WHERE unreferenced_since <= ? ORDER BY unreferenced_since LIMIT ?`,
        before,
        limit,
      )
      .toArray()
      .map(blobOf)
  }

  /** Whether something waits to be deleted, and since when the oldest blob that nothing refers to. */
  pending(): { readonly isCondemned: boolean; readonly oldest: number | null } {
    const { condemned, oldest } = this.#sql
      .exec<{ condemned: number; oldest: number | null }>(
        `SELECT EXISTS (SELECT 1 FROM condemned) AS condemned,
                (SELECT min(unreferenced_since) FROM blobs WHERE unreferenced_since IS NOT NULL) AS oldest`,
      )
      .one()
    return { isCondemned: condemned === 1, oldest }
  }

  /** What nothing refers to, and since when the oldest of it. */
  waiting(): { readonly bytes: number; readonly objects: number; readonly oldest: number | null } {
    return this.#sql
      .exec<{ bytes: number; objects: number; oldest: number | null }>(
        `SELECT coalesce(sum(bytes), 0) AS bytes, count(*) AS objects, min(unreferenced_since) AS oldest
         FROM blobs WHERE unreferenced_since IS NOT NULL`,
      )
      .one()
  }

  /** The references as they are, counted and not remembered. */
  countRefs(cipherHash: string): number {
    return this.#sql
      .exec<{ n: number }>(
        `SELECT (SELECT count(*) FROM versions WHERE cipher_hash = ?) +
                (SELECT count(*) FROM attachments WHERE cipher_hash = ?) AS n`,
        cipherHash,
        cipherHash,
      )
      .one().n
  }

  setRefs(cipherHash: string, refs: number, now: number): void {
    this.#sql.exec(
      'UPDATE blobs SET refs = ?, unreferenced_since = CASE WHEN ? = 0 THEN coalesce(unreferenced_since, ?) ELSE NULL END WHERE cipher_hash = ?',
      refs,
      refs,
      now,
      cipherHash,
    )
  }

  /** Takes a blob out of the index; its key is deleted from R2 after this is durable, by whoever comes first. */
  condemn({ cipherHash, r2Key, bytes }: Blob): void {
    this.#sql.exec('DELETE FROM blobs WHERE cipher_hash = ?', cipherHash)
    this.#sql.exec('UPDATE usage SET bytes = bytes - ?, objects = objects - 1', bytes)
    this.condemnKey(r2Key)
  }

  /** A key that no blob has, such as that of an upload whose ciphertext was there already. */
  condemnKey(r2Key: string): void {
    this.#sql.exec('INSERT INTO condemned (r2_key) VALUES (?) ON CONFLICT DO NOTHING', r2Key)
  }

  condemned(limit: number): string[] {
    return this.#sql
      .exec<{ r2_key: string }>('SELECT r2_key FROM condemned ORDER BY r2_key LIMIT ?', limit)
      .toArray()
      .map((row) => row.r2_key)
  }

  /** Whether a key is a blob’s, or waits to be deleted. */
  knows(r2Key: string): boolean {
    return (
      this.#sql
        .exec('SELECT 1 FROM blobs WHERE r2_key = ? UNION ALL SELECT 1 FROM condemned WHERE r2_key = ?', r2Key, r2Key)
        .toArray().length > 0
    )
  }

  deleted(r2Keys: readonly string[]): void {
    for (const r2Key of r2Keys) this.#sql.exec('DELETE FROM condemned WHERE r2_key = ?', r2Key)
  }

  /** Keys of blobs after one and up to another: to compare with a listing of the store. */
  keysBetween(after: string, last: string): Blob[] {
    return this.#sql
      .exec<BlobRow>(`SELECT ${COLUMNS} FROM blobs WHERE r2_key > ? AND r2_key <= ? ORDER BY r2_key`, after, last)
      .toArray()
      .map(blobOf)
  }

  /** Blobs whose remembered count of references is not the real one. */
  miscounted(): { readonly cipherHash: string; readonly recorded: number; readonly actual: number }[] {
    return this.#sql
      .exec<{ cipher_hash: string; recorded: number; actual: number }>(
        `SELECT cipher_hash, blobs.refs AS recorded, coalesce(counted.n, 0) AS actual
         FROM blobs LEFT JOIN (SELECT cipher_hash, count(*) AS n FROM (${REFERENCES}) GROUP BY cipher_hash) AS counted
              USING (cipher_hash)
         WHERE blobs.refs <> coalesce(counted.n, 0) ORDER BY cipher_hash`,
      )
      .toArray()
      .map(({ cipher_hash: cipherHash, recorded, actual }) => ({ cipherHash, recorded, actual }))
  }

  /** Ciphertexts that something refers to and that the index has lost. */
  unindexed(): string[] {
    return this.#sql
      .exec<{ cipher_hash: string }>(
        `SELECT DISTINCT cipher_hash FROM (${REFERENCES}) WHERE cipher_hash NOT IN (SELECT cipher_hash FROM blobs)
         ORDER BY cipher_hash`,
      )
      .toArray()
      .map((row) => row.cipher_hash)
  }

  /** What the totals should be. */
  measured(): VaultUsage {
    return this.#sql
      .exec<Totals>(
        `SELECT coalesce(sum(bytes), 0) AS bytes, count(*) AS objects,
                (SELECT count(*) FROM versions) + (SELECT count(*) FROM attachments) AS refs FROM blobs`,
      )
      .one()
  }

  setUsage({ bytes, objects, refs }: VaultUsage): void {
    this.#sql.exec('UPDATE usage SET bytes = ?, objects = ?, refs = ?', bytes, objects, refs)
  }
}

/** What its owner is told of a blob. */
export function refOf({ cipherHash, bytes, refs, unreferencedSince }: Blob): BlobRef {
  return { cipherHash, bytes, refs, unreferencedSince }
}

function blobOf(row: BlobRow): Blob {
  return {
    cipherHash: row.cipher_hash,
    r2Key: row.r2_key,
    bytes: row.bytes,
    refs: row.refs,
    unreferencedSince: row.unreferenced_since,
  }
}

import type { Sql } from '@svc/objects'
import type { BlobRef } from '@svc/protocol/notes/api'
import type { VaultUsage } from './rules.ts'

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

export type Totals = { bytes: number; objects: number; refs: number }

const COLUMNS = 'cipher_hash, r2_key, bytes, refs, unreferenced_since'

/**
 * The ciphertexts of a vault, their R2 keys, and how many versions and attachments refer to each.
 *
 * Every upload gets a new key, so a condemned key is never written again and deleting it late is safe: the same
 * ciphertext uploaded in the meantime is stored under another key.
 */
export class BlobIndex {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  usage(): VaultUsage {
    return this.#sql.exec<Totals>('SELECT bytes, objects, refs FROM usage').one()
  }

  find(cipherHash: string): Blob | null {
    const [row] = this.#sql.exec<BlobRow>(`SELECT ${COLUMNS} FROM blobs WHERE cipher_hash = ?`, cipherHash).toArray()
    return row ? blobOf(row) : null
  }

  /**
   * Adds a stored blob with one or no reference about to be written. A blob that was lost may have references already.
   */
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

  /** Removes a blob whose object is missing; records that refer to it stay unavailable until it is uploaded again. */
  drop({ cipherHash, r2Key }: Pick<Blob, 'cipherHash' | 'r2Key'>): void {
    this.#sql.exec('DELETE FROM blobs WHERE cipher_hash = ? AND r2_key = ?', cipherHash, r2Key)
  }

  /** Increments the reference count and cancels pending deletion. */
  refer(cipherHash: string): void {
    this.#sql.exec('UPDATE blobs SET refs = refs + 1, unreferenced_since = NULL WHERE cipher_hash = ?', cipherHash)
    this.#sql.exec('UPDATE usage SET refs = refs + 1')
  }

  /** The length of the versions' signed records, without their ciphertexts. */
  records(): number {
    return this.#sql.exec<{ records: number }>('SELECT records FROM usage').one().records
  }

  addRecord(bytes: number): void {
    this.#sql.exec('UPDATE usage SET records = records + ?', bytes)
  }

  /** Releases a note's references; call before deleting its rows. */
  releaseNote(noteId: string, now: number): void {
    this.#sql.exec(
      `UPDATE usage SET refs = refs - (SELECT count(*) FROM versions WHERE note_id = ?)
                                    - (SELECT count(*) FROM attachments WHERE note_id = ?),
         records = records - (SELECT coalesce(sum(length(record)), 0) FROM versions WHERE note_id = ?)`,
      noteId,
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

  /** Blobs without references since `before` or earlier, oldest first. */
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

  /** Whether keys are waiting for deletion, since when the oldest blob without references has had none, and the oldest upload. */
  pending(): { readonly isCondemned: boolean; readonly oldest: number | null; readonly oldestUpload: number | null } {
    const { condemned, oldest, upload } = this.#sql
      .exec<{ condemned: number; oldest: number | null; upload: number | null }>(
        `SELECT EXISTS (SELECT 1 FROM condemned) AS condemned,
                (SELECT min(unreferenced_since) FROM blobs WHERE unreferenced_since IS NOT NULL) AS oldest,
                (SELECT min(started_at) FROM uploads) AS upload`,
      )
      .one()
    return { isCondemned: condemned === 1, oldest, oldestUpload: upload }
  }

  /** The blobs without references: their size and number, and since when the oldest has had none. */
  waiting(): { readonly bytes: number; readonly objects: number; readonly oldest: number | null } {
    return this.#sql
      .exec<{ bytes: number; objects: number; oldest: number | null }>(
        `SELECT coalesce(sum(bytes), 0) AS bytes, count(*) AS objects, min(unreferenced_since) AS oldest
         FROM blobs WHERE unreferenced_since IS NOT NULL`,
      )
      .one()
  }

  /** The actual number of references, counted from the records. */
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

  /** Removes a blob from the index; a later step deletes its key from R2 once this is durable. */
  condemn({ cipherHash, r2Key, bytes }: Blob): void {
    this.#sql.exec('DELETE FROM blobs WHERE cipher_hash = ?', cipherHash)
    this.#sql.exec('UPDATE usage SET bytes = bytes - ?, objects = objects - 1', bytes)
    this.condemnKey(r2Key)
  }

  /** Condemns a key that no blob uses, such as that of a duplicate upload. */
  condemnKey(r2Key: string): void {
    this.#sql.exec('INSERT INTO condemned (r2_key) VALUES (?) ON CONFLICT DO NOTHING', r2Key)
  }

  condemned(limit: number): string[] {
    return this.#sql
      .exec<{ r2_key: string }>('SELECT r2_key FROM condemned ORDER BY r2_key LIMIT ?', limit)
      .toArray()
      .map((row) => row.r2_key)
  }

  /** Whether a key belongs to a blob or is waiting for deletion. */
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

  /** Blobs with keys after `after`, up to and including `last`, to compare with a listing of the store. */
  keysBetween(after: string, last: string): Blob[] {
    return this.#sql
      .exec<BlobRow>(`SELECT ${COLUMNS} FROM blobs WHERE r2_key > ? AND r2_key <= ? ORDER BY r2_key`, after, last)
      .toArray()
      .map(blobOf)
  }
}

/** A blob as reported to its owner. */
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

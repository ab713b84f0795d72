import type { Sql } from '@svc/objects'

/** Where an upload is stored, and when its first byte arrived. */
export interface Upload {
  readonly r2Key: string
  readonly startedAt: number
}

/** The uploads under way to a vault, so that what is cut off is found and deleted. */
export class UploadIndex {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  /** Before its bytes are stored: nothing refers to them if their sender is cut off. */
  begin({ r2Key, startedAt }: Upload, bytes: number): void {
    this.#sql.exec('INSERT INTO uploads (r2_key, bytes, started_at) VALUES (?, ?, ?)', r2Key, bytes, startedAt)
  }

  /** What uploads under way may come to, but for one of them. */
  bytesBesides(r2Key: string): number {
    return this.#sql
      .exec<{ bytes: number }>('SELECT coalesce(sum(bytes), 0) AS bytes FROM uploads WHERE r2_key <> ?', r2Key)
      .one().bytes
  }

  end(r2Key: string): void {
    this.#sql.exec('DELETE FROM uploads WHERE r2_key = ?', r2Key)
  }

  /** Uploads that began at `before` or earlier, oldest first. */
  old(before: number, limit: number): string[] {
    return this.#sql
      .exec<{ r2_key: string }>(
        'SELECT r2_key FROM uploads WHERE started_at <= ? ORDER BY started_at LIMIT ?',
        before,
        limit,
      )
      .toArray()
      .map((row) => row.r2_key)
  }
}

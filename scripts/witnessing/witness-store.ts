import { DatabaseSync } from 'node:sqlite'
import type { Result } from '@svc/protocol/base/result'
import type { KnownHead } from '@svc/tlog/witness-rules'

/** Evidence against one log: enough to prove a fork, and bounded whatever a log sends. */
const MAX_EVIDENCE = 100

export interface Evidence {
  readonly origin: string
  readonly at: number
  /** The checkpoint that was cosigned before; null if there is none. */
  readonly known: string | null
  /** The checkpoint that contradicts it, or that was not shown to follow from it. */
  readonly refused: string
  readonly isFork: boolean
}

/**
 * What a witness remembers, in one SQLite file. Every write is on the disk when a method returns, so a signature that
 * leaves afterwards is never forgotten. Two processes may open one file: each decision is a transaction.
 */
export class WitnessStore {
  readonly #database: DatabaseSync

  constructor(path: string) {
    this.#database = new DatabaseSync(path, { timeout: 5_000 })
    // FULL: a commit is synced before it returns, also after a loss of power.
    this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    this.#database.exec(`
      CREATE TABLE IF NOT EXISTS heads (
        origin TEXT PRIMARY KEY, size INTEGER NOT NULL, root BLOB NOT NULL, checkpoint TEXT NOT NULL
      ) STRICT;
      CREATE TABLE IF NOT EXISTS evidence (
        id INTEGER PRIMARY KEY, origin TEXT NOT NULL, head TEXT NOT NULL, at INTEGER NOT NULL, known TEXT,
        refused TEXT NOT NULL, is_fork INTEGER NOT NULL, UNIQUE (origin, head)
      ) STRICT;
      CREATE TABLE IF NOT EXISTS followed (directory TEXT PRIMARY KEY, state TEXT NOT NULL) STRICT;`)
  }

  head(origin: string): KnownHead | null {
    const row = this.#database.prepare('SELECT size, root FROM heads WHERE origin = ?').get(origin)
    return row ? { size: Number(row['size']), root: new Uint8Array(row['root'] as Uint8Array) } : null
  }

  /** The newest checkpoint that was cosigned, with the signatures that were verified or made. */
  checkpoint(origin: string): string | null {
    const row = this.#database.prepare('SELECT checkpoint FROM heads WHERE origin = ?').get(origin)
    return row ? String(row['checkpoint']) : null
  }

  /** Decides over the newest head and stores what follows, in one transaction. */
  advance<E>(origin: string, checkpoint: string, decide: (known: KnownHead | null) => Result<KnownHead, E>) {
    this.#database.exec('BEGIN IMMEDIATE')
    try {
      const decided = decide(this.head(origin))
      if (decided.ok) {
        const { size, root } = decided.value
        this.#database
          .prepare(
            `INSERT INTO heads (origin, size, root, checkpoint) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (origin) DO UPDATE SET size = ?2, root = ?3, checkpoint = ?4`,
          )
          .run(origin, size, root, checkpoint)
      }
      this.#database.exec('COMMIT')
      return decided
    } catch (error) {
      this.#database.exec('ROLLBACK')
      throw error
    }
  }

  /** Kept once per head, however often and with whatever signatures it is sent. */
  keepEvidence(head: string, { origin, at, known, refused, isFork }: Evidence): void {
    this.#database
      .prepare(
        `INSERT INTO evidence (origin, head, at, known, refused, is_fork) SELECT ?1, ?2, ?3, ?4, ?5, ?6
         WHERE (SELECT count(*) FROM evidence WHERE origin = ?1 AND is_fork = ?6) < ?7 ON CONFLICT DO NOTHING`,
      )
      .run(origin, head, at, known, refused, isFork ? 1 : 0, MAX_EVIDENCE)
  }

  evidence(): Evidence[] {
    return this.#database
      .prepare('SELECT origin, at, known, refused, is_fork FROM evidence ORDER BY id')
      .all()
      .map((row) => ({
        origin: String(row['origin']),
        at: Number(row['at']),
        known: row['known'] === null ? null : String(row['known']),
        refused: String(row['refused']),
        isFork: row['is_fork'] === 1,
      }))
  }

  /** Where the witness is in the log of a key directory, as JSON. */
  followed(directory: string): string | null {
    const row = this.#database.prepare('SELECT state FROM followed WHERE directory = ?').get(directory)
    return row ? String(row['state']) : null
  }

  /**
   * Stores the next state of a log if the one before is still the newest, and says whether it was: otherwise two processes
   * could each sign a state that the other one would refuse.
   */
  follow(directory: string, { before, state }: { readonly before: string | null; readonly state: string }): boolean {
    const { changes } = this.#database
      .prepare(
        `INSERT INTO followed (directory, state) SELECT ?1, ?2
         WHERE (SELECT state FROM followed WHERE directory = ?1) IS ?3
         ON CONFLICT DO UPDATE SET state = ?2`,
      )
      .run(directory, state, before)
    return changes === 1
  }

  close(): void {
    this.#database.close()
  }
}

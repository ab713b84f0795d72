import { type Schema, VersionedObject } from '@svc/objects'
import { type CeremonyKind, type CeremonyRow, living } from './rules.ts'

const CEREMONY: Schema = {
  name: 'ceremony',
  unversionedTable: 'ceremony',
  steps: [
    {
      name: 'ceremony',
      sql: `CREATE TABLE IF NOT EXISTS ceremony (
              id INTEGER PRIMARY KEY CHECK (id = 0), kind TEXT NOT NULL, state TEXT NOT NULL, expires_at INTEGER NOT NULL
            ) STRICT`,
    },
  ],
}

const SPENT: Schema = {
  name: 'spent',
  unversionedTable: 'spent',
  steps: [
    {
      name: 'spent',
      sql: 'CREATE TABLE IF NOT EXISTS spent (name BLOB PRIMARY KEY, expires_at INTEGER NOT NULL) STRICT, WITHOUT ROWID',
    },
  ],
}

/** So that a clock that is set back a little finds what was spent. */
const REMEMBERED_MS = 60_000

/**
 * One ceremony, named by its id, or a share of the spent ones that carry their own state. Only ids issued by this
 * deployment reach it. It deletes everything when it is spent or expires.
 */
export class CeremonyObject extends VersionedObject {
  static override readonly schemas = [CEREMONY, SPENT]

  /** Spends a ceremony that carries its own state. False for every caller but one, and once it is over. */
  async spend(name: Uint8Array, expiresAt: number): Promise<boolean> {
    if (expiresAt <= Date.now()) return false
    const isFirst = this.stored.transact(() => {
      this.stored.create(SPENT)
      const insert = 'INSERT INTO spent (name, expires_at) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING 1'
      return this.stored.sql.exec(insert, name, expiresAt).toArray().length === 1
    })
    // In the same turn, so that no sweep comes between the row and its alarm.
    await this.stored.alarm.by(expiresAt + REMEMBERED_MS)
    return isFirst
  }

  /** False if the id is taken, which 128 random bits make impossible in practice. */
  async begin(kind: CeremonyKind, state: string, expiresAt: number): Promise<boolean> {
    const begun = this.stored.transact(() => {
      this.stored.create(CEREMONY)
      const inserted = this.stored.sql
        .exec(
          'INSERT INTO ceremony (id, kind, state, expires_at) VALUES (0, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING 1',
          kind,
          state,
          expiresAt,
        )
        .toArray()
      return inserted.length === 1
    })
    if (begun) await this.stored.alarm.by(expiresAt)
    return begun
  }

  /** Returns the state without spending it. Null if there is no ceremony of this kind. */
  look(kind: CeremonyKind): string | null {
    return this.#living(kind)?.state ?? null
  }

  /** Replaces the state. False if the ceremony has ended. */
  amend(kind: CeremonyKind, state: string): boolean {
    return this.stored.transact(() => {
      if (!this.#living(kind)) return false
      this.stored.sql.exec('UPDATE ceremony SET state = ?', state)
      return true
    })
  }

  /** Spends the ceremony: returns the state to one caller; later callers find none. */
  async take(kind: CeremonyKind): Promise<string | null> {
    const taken = this.stored.transact(() => {
      const row = this.#living(kind)
      if (row) this.stored.sql.exec('DELETE FROM ceremony')
      return row
    })
    if (taken) await this.#forget()
    return taken?.state ?? null
  }

  /**
   * Spends the ceremony and begins the one that follows it. False for every caller but one. A crash in between leaves
   * neither.
   */
  async turn(from: CeremonyKind, to: CeremonyKind, state: string, expiresAt: number): Promise<boolean> {
    return (await this.take(from)) !== null && this.begin(to, state, expiresAt)
  }

  override async alarm(): Promise<void> {
    this.stored.alarm.wentOff()
    if (!this.stored.is(SPENT)) return this.#forget()
    const last = this.#dropSpent(Date.now() - REMEMBERED_MS)
    await (last === null ? this.stored.deleteAll() : this.stored.alarm.by(last + REMEMBERED_MS))
  }

  /** Forgets what was over by this time; returns when the last that is left ends. */
  #dropSpent(by: number): number | null {
    return this.stored.transact(() => {
      this.stored.sql.exec('DELETE FROM spent WHERE expires_at <= ?', by)
      return this.stored.sql.exec<{ last: number | null }>('SELECT max(expires_at) AS last FROM spent').one().last
    })
  }

  /** Null also if no ceremony ever started: an object that was never written has no table. */
  #living(kind: CeremonyKind): CeremonyRow | null {
    if (!this.stored.is(CEREMONY)) return null
    const [row] = this.stored.sql
      .exec<{ kind: string; state: string; expires_at: number }>('SELECT kind, state, expires_at FROM ceremony')
      .toArray()
    return living(row ? { kind: row.kind, state: row.state, expiresAt: row.expires_at } : null, kind, Date.now())
  }

  /** Creates tables and alarm together: a crash leaves both or neither. */
  #forget(): Promise<void> {
    return this.stored.deleteAll()
  }
}

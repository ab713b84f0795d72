import { DurableObject } from 'cloudflare:workers'
import { type CeremonyKind, type CeremonyRow, living } from './ceremony.ts'

/**
 * One ceremony, named by its id. Only ids that this deployment has minted reach it. It forgets everything when it is
 * spent and when its time is over.
 */
export class CeremonyObject extends DurableObject {
  /** False when the id is taken, which 128 random bits make impossible in practice. */
  async begin(kind: CeremonyKind, state: string, expiresAt: number): Promise<boolean> {
    const { storage } = this.ctx
    const begun = storage.transactionSync(() => {
      storage.sql.exec(
        `CREATE TABLE IF NOT EXISTS ceremony (
           id INTEGER PRIMARY KEY CHECK (id = 0), kind TEXT NOT NULL, state TEXT NOT NULL, expires_at INTEGER NOT NULL
         ) STRICT`,
      )
      const inserted = storage.sql
        .exec(
          'INSERT INTO ceremony (id, kind, state, expires_at) VALUES (0, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING 1',
          kind,
          state,
          expiresAt,
        )
        .toArray()
      return inserted.length === 1
    })
    if (begun) await storage.setAlarm(expiresAt)
    return begun
  }

  /** The state, which stays. Null when there is none of this kind any more. */
  look(kind: CeremonyKind): string | null {
    return this.#living(kind)?.state ?? null
  }

  /** Another state in the place of the one that was there. False when the ceremony is over. */
  amend(kind: CeremonyKind, state: string): boolean {
    return this.ctx.storage.transactionSync(() => {
      if (!this.#living(kind)) return false
      this.ctx.storage.sql.exec('UPDATE ceremony SET state = ?', state)
      return true
    })
  }

  /** The state, to one caller: whoever comes after finds no ceremony. */
  async take(kind: CeremonyKind): Promise<string | null> {
    const taken = this.ctx.storage.transactionSync(() => {
      const row = this.#living(kind)
      if (row) this.ctx.storage.sql.exec('DELETE FROM ceremony')
      return row
    })
    if (taken) await this.#forget()
    return taken?.state ?? null
  }

  override alarm(): Promise<void> {
    return this.#forget()
  }

  /** Null also where no ceremony was ever begun: an object that nobody wrote to has no table. */
  #living(kind: CeremonyKind): CeremonyRow | null {
    const { sql } = this.ctx.storage
    if (sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'ceremony'").toArray().length === 0) {
      return null
    }
    const [row] = sql
      .exec<{ kind: string; state: string; expires_at: number }>('SELECT kind, state, expires_at FROM ceremony')
      .toArray()
    return living(row ? { kind: row.kind, state: row.state, expiresAt: row.expires_at } : null, kind, Date.now())
  }

  /** Tables and alarm in one: a crash leaves either everything, with its alarm, or nothing. */
  #forget(): Promise<void> {
    return this.ctx.storage.deleteAll()
  }
}

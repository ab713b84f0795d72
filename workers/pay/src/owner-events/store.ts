import { MAX_RETRY_MS, RETRY_MS } from '@svc/objects/retry'
import { reaching } from '@svc/protocol/base/dependency-fault'
import type { OwnerEvent } from './rules.ts'

/** Of one run: the next one goes on. */
const MAX_DUE = 100

export interface WaitingEvent extends OwnerEvent {
  readonly seq: number
}

/**
 * What the event feeds of owners do not have yet, in D1. A row is written in the transaction of its act, and deleted once
 * core has it; core takes an id once.
 */
export class OwnerEventStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  /** Due in the order in which they happened; what failed waits for its next attempt. */
  async due(now: number): Promise<WaitingEvent[]> {
    const statement = this.#db
      .prepare('SELECT seq, id, did, kind, ref FROM owner_events WHERE due_at <= ? ORDER BY seq LIMIT ?')
      .bind(now, MAX_DUE)
    const { results } = await reaching('owner events', () => statement.all<WaitingEvent & Record<string, unknown>>())
    return results
  }

  async delivered(events: readonly WaitingEvent[]): Promise<void> {
    const statement = this.#db
      .prepare('DELETE FROM owner_events WHERE seq IN (SELECT value FROM json_each(?))')
      .bind(seqsOf(events))
    await reaching('owner events', () => statement.run())
  }

  async failed(events: readonly WaitingEvent[], now: number): Promise<void> {
    const statement = this.#db
      .prepare(
        `UPDATE owner_events SET attempts = attempts + 1, due_at = ?2 + min(?3 << min(attempts, 20), ?4)
         WHERE seq IN (SELECT value FROM json_each(?1))`,
      )
      .bind(seqsOf(events), now, RETRY_MS, MAX_RETRY_MS)
    await reaching('owner events', () => statement.run())
  }
}

/** For a batch: writes the event if `condition` holds. */
export function addingIf(
  db: D1Database,
  { id, did, kind, ref }: OwnerEvent,
  condition: { readonly sql: string; readonly values: readonly (string | number)[] },
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO owner_events (id, did, kind, ref, attempts, due_at)
       SELECT kind || ' ' || id, did, kind, ref, 0, 0 FROM (SELECT ? AS id, ? AS did, ? AS kind, ? AS ref)
       WHERE ${condition.sql} ON CONFLICT DO NOTHING`,
    )
    .bind(id, did, kind, ref, ...condition.values)
}

function seqsOf(events: readonly WaitingEvent[]): string {
  return JSON.stringify(events.map(({ seq }) => seq))
}

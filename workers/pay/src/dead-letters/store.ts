import { reaching } from '@svc/protocol/base/dependency-fault'
import type { DeadLetter } from '@svc/protocol/operator/dead-letters'

export interface NewDeadLetter {
  readonly eventId: string
  readonly type: string
  readonly occurredAt: number
  readonly reason: string
  readonly payload: string
  readonly receivedAt: number
}

interface Row {
  position: number
  event_id: string
  type: string
  occurred_at: number
  reason: string
  received_at: number
  attempts: number
}

const PAGE = 50

/** Dead letters in D1. An event has one, however often it comes. */
export class DeadLetterStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  /** Returns how often the event has come; null if it was applied or dismissed meanwhile. */
  async keep({ eventId, type, occurredAt, reason, payload, receivedAt }: NewDeadLetter): Promise<number | null> {
    const statement = this.#db
      .prepare(
        `INSERT INTO dead_letters (event_id, type, occurred_at, reason, payload, received_at, attempts)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, 1 WHERE NOT EXISTS (SELECT 1 FROM provider_events WHERE event_id = ?1)
         ON CONFLICT (event_id) DO UPDATE SET attempts = attempts + 1, reason = excluded.reason
         RETURNING attempts`,
      )
      .bind(eventId, type, occurredAt, reason, payload, receivedAt)
    return reaching('payment events', () => statement.first<number>('attempts'))
  }

  async payloadOf(eventId: string): Promise<string | null> {
    const statement = this.#db.prepare('SELECT payload FROM dead_letters WHERE event_id = ?').bind(eventId)
    return reaching('payment events', () => statement.first<string>('payload'))
  }

  /**
   * One transaction: the event counts as applied, so that repetitions change nothing, and its dead letter goes. False if
   * there is none and none was dismissed.
   */
  async dismiss(eventId: string, now: number): Promise<boolean> {
    const [, , known] = await reaching('payment events', () =>
      this.#db.batch([
        this.#db
          .prepare(
            `INSERT INTO provider_events (event_id, type, claim, applied_at)
             SELECT event_id, type, 'dismissed', ?2 FROM dead_letters WHERE event_id = ?1 ON CONFLICT DO NOTHING`,
          )
          .bind(eventId, now),
        this.#db.prepare('DELETE FROM dead_letters WHERE event_id = ?').bind(eventId),
        this.#db.prepare('SELECT 1 AS one FROM provider_events WHERE event_id = ?').bind(eventId),
      ]),
    )
    return known !== undefined && known.results.length > 0
  }

  async count(): Promise<number> {
    const statement = this.#db.prepare('SELECT count(*) AS n FROM dead_letters')
    return (await reaching('payment events', () => statement.first<number>('n'))) ?? 0
  }

  /** Oldest first. `next` is null on the last page. */
  async page(after: number): Promise<{ deadLetters: DeadLetter[]; next: number | null }> {
    const statement = this.#db
      .prepare(
        `SELECT position, event_id, type, occurred_at, reason, received_at, attempts FROM dead_letters
         WHERE position > ? ORDER BY position LIMIT ${PAGE + 1}`,
      )
      .bind(after)
    const { results } = await reaching('payment events', () => statement.all<Row>())
    const shown = results.slice(0, PAGE)
    return {
      deadLetters: shown.map(deadLetterOf),
      next: results.length > PAGE ? (shown.at(-1)?.position ?? null) : null,
    }
  }
}

function deadLetterOf({ event_id, type, occurred_at, reason, received_at, attempts }: Row): DeadLetter {
  return { eventId: event_id, type, occurredAt: occurred_at, receivedAt: received_at, attempts, reason }
}

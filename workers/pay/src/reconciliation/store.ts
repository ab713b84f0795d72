import { reaching } from '@svc/protocol/base/dependency-fault'

/** Up to when the provider's events were compared, in D1. It never moves back. */
export class ReconciliationStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  async comparedUntil(): Promise<number | null> {
    const statement = this.#db.prepare('SELECT compared_until FROM reconciliation WHERE id = 1')
    return reaching('payment events', () => statement.first<number>('compared_until'))
  }

  async advance(until: number): Promise<void> {
    const statement = this.#db
      .prepare(
        `INSERT INTO reconciliation (id, compared_until) VALUES (1, ?)
         ON CONFLICT (id) DO UPDATE SET compared_until = max(compared_until, excluded.compared_until)`,
      )
      .bind(until)
    await reaching('payment events', () => statement.run())
  }
}

import { reaching } from '@svc/protocol/base/dependency-fault'

interface Row {
  recorded_at: number
  signed: string
  done_at: number | null
}

interface NewAct {
  readonly nonce: string
  readonly type: string
  readonly signed: string
  readonly operator: string
  readonly issuedAt: number
}

/** An act that was accepted before the database was lost is not in the export, or is there as not carried out. */
const RESTORED = 'coalesce((SELECT max(signed_from) FROM restores), 0)'

/** Operator acts in D1: each is recorded before it is carried out, and marked afterwards. */
export class OperatorStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  /**
   * Records an act, or finds the one with this nonce. Sending the same act twice is a retry until it was carried out;
   * another act with the same nonce is never accepted. Null if it was signed before the database was restored.
   */
  async record(
    { nonce, type, signed, operator, issuedAt }: NewAct,
    now: number,
  ): Promise<{ recordedAt: number; signed: string; done: boolean } | null> {
    const insert = this.#db
      .prepare(
        `INSERT INTO operator_acts (nonce, type, signed, operator, recorded_at)
         SELECT ?1, ?2, ?3, ?4, ?5 WHERE ?6 > ${RESTORED} ON CONFLICT DO NOTHING`,
      )
      .bind(nonce, type, signed, operator, now, issuedAt)
    const select = this.#db
      .prepare(`SELECT recorded_at, signed, done_at FROM operator_acts WHERE nonce = ?1 AND ?2 > ${RESTORED}`)
      .bind(nonce, issuedAt)
    const [, found] = await reaching('operator acts', () => this.#db.batch<Row>([insert, select]))
    const row = found?.results[0]
    if (!row) return null
    return { recordedAt: row.recorded_at, signed: row.signed, done: row.done_at !== null }
  }

  /** When each of these acts was carried out; without those that were not. */
  async doneAt(nonces: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const select = this.#db
      .prepare(
        `SELECT nonce, done_at FROM operator_acts
         WHERE nonce IN (SELECT value FROM json_each(?)) AND done_at IS NOT NULL`,
      )
      .bind(JSON.stringify(nonces))
    const { results } = await reaching('operator acts', () => select.all<{ nonce: string; done_at: number }>())
    return new Map(results.map(({ nonce, done_at: doneAt }) => [nonce, doneAt]))
  }

  async markDone(nonce: string, now: number): Promise<void> {
    const update = this.#db
      .prepare('UPDATE operator_acts SET done_at = ? WHERE nonce = ? AND done_at IS NULL')
      .bind(now, nonce)
    await reaching('operator acts', () => update.run())
  }
}

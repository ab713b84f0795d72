import { reaching } from '@svc/protocol/base/dependency-fault'
import type { CurrentEpoch, EpochMember } from '@svc/protocol/keys/epochs'
import { SWEPT_AT_ONCE, sweepRows } from '../upkeep/sweep.ts'

/** For the operator, who may want to see who took part. */
const MEMBERS_KEPT_MS = 30 * 24 * 3_600_000

export interface EpochTerms {
  readonly epoch: number
  readonly opensAt: number
  readonly closesAt: number
}

/** Epochs and their members in D1. */
export class EpochStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  /**
   * Opens an epoch after every other, with no overlap. Idempotent for equal terms. Returns false if it does not fit.
   * Epochs that were withdrawn are in nobody's way; only their numbers are spent.
   */
  async open({ epoch, opensAt, closesAt }: EpochTerms): Promise<boolean> {
    const insert = this.#db
      .prepare(
        `INSERT INTO epochs (epoch, opens_at, closes_at) SELECT ?1, ?2, ?3
         WHERE NOT EXISTS (SELECT 1 FROM epochs WHERE closes_at > opens_at AND (epoch >= ?1 OR closes_at > ?2))
         ON CONFLICT DO NOTHING`,
      )
      .bind(epoch, opensAt, closesAt)
    const find = this.#db
      .prepare('SELECT 1 AS one FROM epochs WHERE epoch = ? AND opens_at = ? AND closes_at = ?')
      .bind(epoch, opensAt, closesAt)
    const [, found] = await reaching('epochs', () => this.#db.batch([insert, find]))
    return (found?.results.length ?? 0) > 0
  }

  /**
   * Withdraws an epoch that has not begun: it becomes one that was never open, by anybody's clock, so that a repetition of
   * the act that opened it finds its number taken. Who joined by another clock has begun it. Idempotent.
   */
  async withdraw(epoch: number, now: number): Promise<'withdrawn' | 'begun' | 'unknown'> {
    const update = this.#db
      .prepare(
        `UPDATE epochs SET opens_at = 0, closes_at = 0 WHERE epoch = ?1 AND opens_at > ?2 AND closes_at > opens_at
         AND NOT EXISTS (SELECT 1 FROM epoch_members WHERE epoch = ?1)`,
      )
      .bind(epoch, now)
    const find = this.#db.prepare('SELECT closes_at > opens_at AS stands FROM epochs WHERE epoch = ?').bind(epoch)
    const [, found] = await reaching('epochs', () => this.#db.batch<{ stands: number }>([update, find]))
    const row = found?.results[0]
    if (!row) return 'unknown'
    return row.stands === 0 ? 'withdrawn' : 'begun'
  }

  async current(now: number): Promise<CurrentEpoch['epoch']> {
    const find = this.#db
      .prepare(
        `SELECT e.epoch, e.opens_at, e.closes_at, count(m.did) AS joined, count(m.acknowledged_at) AS acknowledged
         FROM epochs e LEFT JOIN epoch_members m ON m.epoch = e.epoch
         WHERE e.opens_at <= ?1 AND e.closes_at > ?1 GROUP BY e.epoch ORDER BY e.epoch DESC LIMIT 1`,
      )
      .bind(now)
    const row = await reaching('epochs', () => find.first<Record<string, number>>())
    if (!row) return null
    return {
      number: row['epoch'] ?? 0,
      opensAt: row['opens_at'] ?? 0,
      closesAt: row['closes_at'] ?? 0,
      joined: row['joined'] ?? 0,
      acknowledged: row['acknowledged'] ?? 0,
    }
  }

  /** Adds the caller to the open epoch, once; null if none is open. */
  async join(did: string, userId: string, now: number): Promise<EpochMember | null> {
    const insert = this.#db
      .prepare(
        `INSERT INTO epoch_members (epoch, did, user_id, joined_at)
         SELECT epoch, ?1, ?2, ?3 FROM epochs WHERE opens_at <= ?3 AND closes_at > ?3 ORDER BY epoch DESC LIMIT 1
         ON CONFLICT DO NOTHING`,
      )
      .bind(did, userId, now)
    const [, found] = await reaching('epochs', () => this.#db.batch<MemberRow>([insert, this.#member(did, now)]))
    return memberOf(found?.results[0], userId)
  }

  /** Records the acknowledgement once; null if the caller has not joined this epoch or it is not the open one. */
  async acknowledge(did: string, userId: string, epoch: number, now: number): Promise<EpochMember | null> {
    const update = this.#db
      .prepare(
        `UPDATE epoch_members SET acknowledged_at = ?1 WHERE epoch = ?2 AND did = ?3 AND acknowledged_at IS NULL
         AND EXISTS (SELECT 1 FROM epochs WHERE epoch = ?2 AND opens_at <= ?1 AND closes_at > ?1)`,
      )
      .bind(now, epoch, did)
    const [, found] = await reaching('epochs', () => this.#db.batch<MemberRow>([update, this.#member(did, now)]))
    const member = memberOf(found?.results[0], userId)
    return member?.epoch === epoch ? member : null
  }

  async forget(did: string): Promise<void> {
    const members = this.#db.prepare('DELETE FROM epoch_members WHERE did = ?').bind(did)
    await reaching('epochs', () => members.run())
  }

  /** Deletes members of epochs that closed a while ago: nothing reads them. */
  async sweep(now: number): Promise<void> {
    await sweepRows(
      this.#db
        .prepare(
          `DELETE FROM epoch_members WHERE rowid IN (SELECT m.rowid FROM epochs e JOIN epoch_members m ON m.epoch = e.epoch
           WHERE e.closes_at <= ?1 LIMIT ?2)`,
        )
        .bind(now - MEMBERS_KEPT_MS, SWEPT_AT_ONCE),
    )
  }

  #member(did: string, now: number): D1PreparedStatement {
    return this.#db
      .prepare(
        `SELECT m.epoch, m.joined_at, m.acknowledged_at FROM epoch_members m JOIN epochs e ON e.epoch = m.epoch
         WHERE m.did = ?1 AND e.opens_at <= ?2 AND e.closes_at > ?2 ORDER BY m.epoch DESC LIMIT 1`,
      )
      .bind(did, now)
  }
}

interface MemberRow {
  readonly epoch: number
  readonly joined_at: number
  readonly acknowledged_at: number | null
}

function memberOf(row: MemberRow | undefined, userId: string): EpochMember | null {
  if (!row) return null
  return { epoch: row.epoch, user_id: userId, joinedAt: row.joined_at, acknowledgedAt: row.acknowledged_at }
}

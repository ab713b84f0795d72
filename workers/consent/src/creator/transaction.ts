/**
 * The transactions of a creator's list: what they hold, what that comes to, and the room of writes that are under way.
 *
 * @module
 */
import type { ObjectStorage } from '@svc/objects'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { identifierHash } from '@svc/protocol/consent/identifiers'
import { TIERS, type Tier } from '@svc/protocol/pay/tiers'
import {
  type Amounts,
  BUDGETS_OF,
  type BudgetedWrite,
  type BudgetRefusal,
  decideRoom,
} from '../consent/budget-rules.ts'
import { type BriefRecord, type BriefRow, briefsOf } from '../store/rows.ts'
import type { Holding } from './holding.ts'
import { CONSENT_CREATOR } from './schema.ts'

/** Much longer than a write takes. What is not written by then never will be. */
const RESERVED_MS = 600_000
const FREE = 'notes'

export interface Reservation {
  /** The act that is to be written. The same act reserves once. */
  readonly id: string
  readonly hash: string
  readonly write: BudgetedWrite
}

export interface CreatorList {
  readonly records: BriefRecord[]
  readonly kept: Amounts
}

type TotalsRow = { records: number; claims: number; acts: number; tier: string | null; tier_until: number | null }
type HoldingRow = { revision: number; is_published: number; is_claimed: number; acts: number }

export class CreatorTransaction {
  readonly #stored: ObjectStorage

  constructor(stored: ObjectStorage) {
    this.#stored = stored
  }

  /**
   * Holds room for one write, which then cannot exceed the budget whatever else is written at the same time. False for a
   * claim that needs none, because it takes the place of one by the same claimant.
   */
  reserve({ id, hash, write }: Reservation, now: number): Result<boolean, BudgetRefusal> {
    return this.#stored.transact((): Result<boolean, BudgetRefusal> => {
      const isThere = this.#stored.exists
      if (isThere && this.#isReserved(id, now)) return ok(true)
      if (write === 'claim' && isThere && this.#isClaimed(hash)) return ok(false)
      const room = decideRoom(this.#used(now), write, this.#tier(now))
      if (!room.ok) return room.error.used > room.error.limit ? err({ ...room.error, used: room.error.limit }) : room
      this.#create()
      const takes = (budget: keyof Amounts) => Number((BUDGETS_OF[write] as readonly string[]).includes(budget))
      this.#stored.sql.exec('DELETE FROM reserved WHERE until <= ?', now)
      this.#stored.sql.exec(
        'INSERT INTO reserved (id, records, acts, until) VALUES (?, ?, ?, ?)',
        id,
        takes('consentRecords'),
        takes('consentActs'),
        now + RESERVED_MS,
      )
      return ok(true)
    })
  }

  /** The write was not made. */
  release(id: string): void {
    if (this.#stored.exists) this.#stored.sql.exec('DELETE FROM reserved WHERE id = ?', id)
  }

  /** Keeps what pay said of a creator who has written before; of any other, none is asked for. */
  entitle(tier: Tier, until: number): void {
    if (this.#stored.exists) this.#stored.sql.exec('UPDATE totals SET tier = ?, tier_until = ?', tier, until)
  }

  /** Takes what is newer than what is known, whatever the order of arrival. Idempotent. */
  take(holdings: readonly Holding[]): void {
    this.#stored.transact(() => {
      this.#create()
      for (const holding of holdings) this.#takeOne(holding)
    })
  }

  #takeOne({ identifierHash: name, hash, revision, published, isClaimed, acts, written }: Holding): void {
    const { sql } = this.#stored
    for (const id of written) sql.exec('DELETE FROM reserved WHERE id = ?', id)
    const [before] = sql
      .exec<HoldingRow>(
        `SELECT revision, preferences IS NOT NULL AS is_published, is_claimed, acts FROM holdings
         WHERE identifier_hash = ?`,
        name,
      )
      .toArray()
    if (before && before.revision >= revision) return
    sql.exec(
      `INSERT INTO holdings (identifier_hash, content_hash, revision, preferences, version, updated_at, is_claimed, acts)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (identifier_hash) DO UPDATE SET content_hash = ?2, revision = ?3,
         preferences = ?4, version = ?5, updated_at = ?6, is_claimed = ?7, acts = ?8`,
      name,
      hash,
      revision,
      published && JSON.stringify(published.preferences),
      published?.version ?? null,
      published?.updatedAt ?? null,
      Number(isClaimed),
      acts,
    )
    sql.exec(
      'UPDATE totals SET records = records + ?, claims = claims + ?, acts = acts + ?',
      Number(published !== null) - (before?.is_published ?? 0),
      Number(isClaimed) - (before?.is_claimed ?? 0),
      acts - (before?.acts ?? 0),
    )
  }

  /** Published records after an identifier, in order, and what is kept in total. */
  list(did: string, after: string | null, limit: number): CreatorList {
    if (!this.#stored.exists) return { records: [], kept: { consentRecords: 0, consentActs: 0 } }
    const rows = this.#stored.sql
      .exec<BriefRow>(
        `SELECT content_hash, ? AS creator_did, preferences, version, updated_at FROM holdings
         WHERE preferences IS NOT NULL AND content_hash > ? ORDER BY content_hash LIMIT ?`,
        did,
        after ?? '',
        limit,
      )
      .toArray()
    const { records, claims, acts } = this.#totals()
    return { records: briefsOf(rows), kept: { consentRecords: records + claims, consentActs: acts } }
  }

  #create(): void {
    if (this.#stored.exists) return
    this.#stored.create(CONSENT_CREATOR)
    this.#stored.sql.exec('INSERT INTO totals (id, records, claims, acts) VALUES (0, 0, 0, 0)')
  }

  #totals(): TotalsRow {
    return this.#stored.sql.exec<TotalsRow>('SELECT records, claims, acts, tier, tier_until FROM totals').one()
  }

  /** What is kept, with the writes that are under way. */
  #used(now: number): Amounts {
    if (!this.#stored.exists) return { consentRecords: 0, consentActs: 0 }
    const { records, claims, acts } = this.#totals()
    const under = this.#stored.sql
      .exec<{ records: number; acts: number }>(
        'SELECT coalesce(sum(records), 0) AS records, coalesce(sum(acts), 0) AS acts FROM reserved WHERE until > ?',
        now,
      )
      .one()
    return { consentRecords: records + claims + under.records, consentActs: acts + under.acts }
  }

  #tier(now: number): Tier {
    if (!this.#stored.exists) return FREE
    const { tier, tier_until: until } = this.#totals()
    const known = until !== null && until > now ? TIERS.find((name) => name === tier) : undefined
    return known ?? FREE
  }

  #isReserved(id: string, now: number): boolean {
    return this.#stored.sql.exec('SELECT 1 FROM reserved WHERE id = ? AND until > ?', id, now).toArray().length > 0
  }

  #isClaimed(hash: string): boolean {
    const select = 'SELECT 1 FROM holdings WHERE identifier_hash = ? AND is_claimed = 1'
    return this.#stored.sql.exec(select, identifierHash(hash)).toArray().length > 0
  }
}

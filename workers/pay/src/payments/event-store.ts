import { reaching } from '@svc/protocol/base/dependency-fault'
import type { IntentState } from '@svc/protocol/pay/intents'
import { GRANT } from '../entitlements/grant-table.ts'
import { DAY_MS, type StoredGrant } from '../entitlements/rules.ts'
import type { OwnerEvent } from '../owner-events/rules.ts'
import { addingIf } from '../owner-events/store.ts'
import type { StoredReversal } from './reversals.ts'

/**
 * A provider repeats an event for three days automatically and for thirty by hand. A later one is applied by its date, so
 * that it changes nothing.
 */
const KEPT_MS = 90 * DAY_MS
/** More than are added, so that no older ones accumulate. */
const FORGOTTEN_AT_ONCE = 4

/** What an event changes, based on what was read; `from` and `version - 1` are the values read. */
export interface EventChange {
  readonly intent: { readonly id: string; readonly from: IntentState; readonly to: IntentState } | null
  readonly grant: StoredGrant | null
  readonly reversal: StoredReversal | null
  /** What the owner is told. */
  readonly told: readonly OwnerEvent[]
}

export const NO_CHANGE: EventChange = { intent: null, grant: null, reversal: null, told: [] }

const CLAIMED = 'EXISTS (SELECT 1 FROM provider_events WHERE event_id = ? AND claim = ?)'

/** Provider events in D1. Each is applied once, together with everything it changes. */
export class PaymentEventStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  /**
   * One transaction. The event is claimed only if it is new and the state is as it was read; the changes are made only
   * under this claim. `moved` if something else was faster: then nothing was written.
   */
  async apply(
    event: { readonly id: string; readonly type: string },
    { intent, grant, reversal, told }: EventChange,
    now: number,
  ): Promise<'applied' | 'duplicate' | 'moved'> {
    const claim = crypto.randomUUID()
    const statements = [
      this.#db
        .prepare(
          `INSERT INTO provider_events (event_id, type, claim, applied_at) SELECT ?1, ?2, ?3, ?4
           WHERE (?5 IS NULL OR EXISTS (SELECT 1 FROM intents WHERE id = ?5 AND state = ?6))
             AND (?7 IS NULL OR coalesce((SELECT version FROM grants WHERE id = ?7), 0) = ?8)
             AND (?9 IS NULL OR coalesce((SELECT version FROM reversals WHERE payment_id = ?9), 0) = ?10)
           ON CONFLICT DO NOTHING`,
        )
        .bind(
          event.id,
          event.type,
          claim,
          now,
          intent?.id ?? null,
          intent?.from ?? null,
          grant?.id ?? null,
          (grant?.version ?? 1) - 1,
          reversal?.paymentId ?? null,
          (reversal?.version ?? 1) - 1,
        ),
      ...(intent ? [this.#moveIntent(event.id, claim, intent.id, intent.to)] : []),
      ...(grant ? [this.#putGrant(event.id, claim, grant)] : []),
      ...(reversal ? [this.#putReversal(event.id, claim, reversal)] : []),
      ...told.map((one) => addingIf(this.#db, one, { sql: CLAIMED, values: [event.id, claim] })),
      this.#resolve(event.id, claim),
      this.#forget(now - KEPT_MS),
      this.#db.prepare('SELECT claim FROM provider_events WHERE event_id = ?').bind(event.id),
    ]
    const results = await reaching('payment events', () => this.#db.batch<{ claim: string }>(statements))
    const [taken] = results.at(-1)?.results ?? []
    if (!taken) return 'moved'
    return taken.claim === claim ? 'applied' : 'duplicate'
  }

  /** Whether an event was applied before: then it needs no further processing. */
  async has(eventId: string): Promise<boolean> {
    const statement = this.#db.prepare('SELECT 1 AS one FROM provider_events WHERE event_id = ?').bind(eventId)
    return (await reaching('payment events', () => statement.first())) !== null
  }

  async findReversal(paymentId: string): Promise<{ readonly version: number } | null> {
    const statement = this.#db.prepare('SELECT version FROM reversals WHERE payment_id = ?').bind(paymentId)
    return reaching('payment events', () => statement.first<{ version: number }>())
  }

  #forget(before: number): D1PreparedStatement {
    return this.#db
      .prepare(
        `DELETE FROM provider_events WHERE event_id IN (
           SELECT event_id FROM provider_events WHERE applied_at < ? ORDER BY applied_at LIMIT ${FORGOTTEN_AT_ONCE})`,
      )
      .bind(before)
  }

  #moveIntent(eventId: string, claim: string, id: string, to: IntentState): D1PreparedStatement {
    return this.#db
      .prepare(
        `UPDATE intents SET state = ?4 WHERE id = ?3
           AND EXISTS (SELECT 1 FROM provider_events WHERE event_id = ?1 AND claim = ?2)`,
      )
      .bind(eventId, claim, id, to)
  }

  /** What was applied is a dead letter no longer. */
  #resolve(eventId: string, claim: string): D1PreparedStatement {
    return this.#db
      .prepare(
        `DELETE FROM dead_letters WHERE event_id = ?1
           AND EXISTS (SELECT 1 FROM provider_events WHERE event_id = ?1 AND claim = ?2)`,
      )
      .bind(eventId, claim)
  }

  #putReversal(eventId: string, claim: string, reversal: StoredReversal): D1PreparedStatement {
    const { paymentId, grantId, from, until, reversed, version } = reversal
    return this.#db
      .prepare(
        `INSERT INTO reversals (payment_id, grant_id, covers_from, covers_until, reversed, version)
         SELECT ?3, ?4, ?5, ?6, ?7, ?8
         WHERE EXISTS (SELECT 1 FROM provider_events WHERE event_id = ?1 AND claim = ?2)
         ON CONFLICT (payment_id) DO UPDATE SET reversed = excluded.reversed, version = excluded.version`,
      )
      .bind(eventId, claim, paymentId, grantId, from, until, reversed, version)
  }

  #putGrant(eventId: string, claim: string, grant: StoredGrant): D1PreparedStatement {
    return this.#db
      .prepare(
        `INSERT INTO grants (${GRANT})
         SELECT ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15
         WHERE EXISTS (SELECT 1 FROM provider_events WHERE event_id = ?1 AND claim = ?2)
         ON CONFLICT (id) DO UPDATE SET tier = excluded.tier, status = excluded.status,
           period_start = excluded.period_start, period_end = excluded.period_end, renews = excluded.renews,
           grace_until = excluded.grace_until, next_tier = excluded.next_tier, as_of = excluded.as_of,
           version = excluded.version`,
      )
      .bind(
        eventId,
        claim,
        grant.id,
        grant.did,
        grant.tier,
        grant.source,
        grant.status,
        grant.periodStart,
        grant.periodEnd,
        grant.renews ? 1 : 0,
        grant.graceUntil,
        grant.nextTier,
        grant.subscriptionId,
        grant.asOf,
        grant.version,
      )
  }
}

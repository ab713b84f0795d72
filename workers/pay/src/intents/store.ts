import { reaching } from '@svc/protocol/base/dependency-fault'
import type { IntentState } from '@svc/protocol/pay/intents'
import type { Offer } from '@svc/protocol/pay/offers'
import type { ProviderName } from '../payments/provider.ts'
import { MAX_OPEN_INTENTS, UNPAID_KEPT_MS } from './rules.ts'

/** Old ones deleted with each new one: more than are added, so that none accumulate. */
const FORGOTTEN_AT_ONCE = 4

export interface NewIntent {
  readonly id: string
  readonly did: string
  /** Null if the request had none: it then finds no other intent. */
  readonly idempotencyKey: string | null
  readonly sku: string
  readonly country: string | null
  readonly offer: Offer
  readonly provider: ProviderName
  readonly createdAt: number
  readonly expiresAt: number
}

export interface StoredIntent extends NewIntent {
  readonly state: IntentState
  readonly sessionId: string | null
  readonly checkoutUrl: string | null
}

interface Row {
  id: string
  did: string
  idempotency_key: string | null
  sku: string
  country: string | null
  offer: string
  provider: ProviderName
  state: IntentState
  session_id: string | null
  checkout_url: string | null
  created_at: number
  expires_at: number
}

const INTENT = `id, did, idempotency_key, sku, country, offer, provider, state, session_id, checkout_url, created_at,
  expires_at`

/** By owner `?2` at the time `?8`. */
const OPEN_SUBSCRIPTION = `SELECT 1 FROM intents WHERE did = ?2 AND state = 'open' AND expires_at > ?8
  AND offer ->> 'kind' = 'subscription'`

/** Payment intents in D1. A key makes one intent; a page is attached once. */
export class IntentStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  /**
   * Creates the intent or finds the one with the same key; null if the owner has too many open ones, or one for a
   * subscription and this is another. One transaction cancels the intent that it replaces.
   */
  async make(intent: NewIntent, replaces: string | null): Promise<StoredIntent | null> {
    const { id, did, idempotencyKey, sku, country, offer, provider, createdAt, expiresAt } = intent
    const [, , found] = await reaching('intents', () =>
      this.#db.batch<Row>([
        this.#cancelling(replaces),
        this.#db
          .prepare(
            `INSERT INTO intents (id, did, idempotency_key, sku, country, offer, provider, state, created_at, expires_at)
             SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, 'open', ?8, ?9
             WHERE (SELECT count(*) FROM intents WHERE did = ?2 AND state = 'open' AND expires_at > ?8) < ?10
               AND (?11 = 0 OR NOT EXISTS (${OPEN_SUBSCRIPTION}))
             ON CONFLICT DO NOTHING`,
          )
          .bind(
            id,
            did,
            idempotencyKey,
            sku,
            country,
            JSON.stringify(offer),
            provider,
            createdAt,
            expiresAt,
            MAX_OPEN_INTENTS,
            offer.kind === 'subscription' ? 1 : 0,
          ),
        idempotencyKey === null ? this.#byId(id) : this.#byKey(did, idempotencyKey),
        this.#db
          .prepare(
            `DELETE FROM intents WHERE id IN (SELECT id FROM intents WHERE state <> 'paid' AND expires_at < ?
               ORDER BY expires_at LIMIT ${FORGOTTEN_AT_ONCE})`,
          )
          .bind(createdAt - UNPAID_KEPT_MS),
      ]),
    )
    const [row] = found?.results ?? []
    return row ? intentOf(row) : null
  }

  async findByKey(did: string, idempotencyKey: string): Promise<StoredIntent | null> {
    const row = await reaching('intents', () => this.#byKey(did, idempotencyKey).first<Row>())
    return row && intentOf(row)
  }

  async find(id: string): Promise<StoredIntent | null> {
    const row = await reaching('intents', () => this.#byId(id).first<Row>())
    return row && intentOf(row)
  }

  /** The open intent for a subscription, if there is one. */
  async openSubscription(did: string, now: number): Promise<StoredIntent | null> {
    const statement = this.#db
      .prepare(
        `SELECT ${INTENT} FROM intents WHERE did = ? AND state = 'open' AND expires_at > ?
           AND offer ->> 'kind' = 'subscription'`,
      )
      .bind(did, now)
    const row = await reaching('intents', () => statement.first<Row>())
    return row && intentOf(row)
  }

  /** The first caller attaches the page; an intent has only one. */
  async attachPage(id: string, sessionId: string, checkoutUrl: string): Promise<void> {
    const statement = this.#db
      .prepare('UPDATE intents SET session_id = ?2, checkout_url = ?3 WHERE id = ?1 AND session_id IS NULL')
      .bind(id, sessionId, checkoutUrl)
    await reaching('intents', () => statement.run())
  }

  async cancel(id: string): Promise<void> {
    await reaching('intents', () => this.#cancelling(id).run())
  }

  #cancelling(id: string | null): D1PreparedStatement {
    return this.#db.prepare(`UPDATE intents SET state = 'cancelled' WHERE id = ? AND state = 'open'`).bind(id)
  }

  #byId(id: string): D1PreparedStatement {
    return this.#db.prepare(`SELECT ${INTENT} FROM intents WHERE id = ?`).bind(id)
  }

  #byKey(did: string, idempotencyKey: string): D1PreparedStatement {
    return this.#db
      .prepare(`SELECT ${INTENT} FROM intents WHERE did = ? AND idempotency_key = ?`)
      .bind(did, idempotencyKey)
  }
}

function intentOf(row: Row): StoredIntent {
  return {
    id: row.id,
    did: row.did,
    idempotencyKey: row.idempotency_key,
    sku: row.sku,
    country: row.country,
    offer: JSON.parse(row.offer) as Offer,
    provider: row.provider,
    state: row.state,
    sessionId: row.session_id,
    checkoutUrl: row.checkout_url,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }
}

import { reaching } from '@svc/protocol/base/dependency-fault'
import { TIERS, type Tier } from '@svc/protocol/pay/tiers'
import type { Amounts } from './budget-rules.ts'
import { type Databases, databaseOf } from './shards.ts'

interface Row {
  kept: number
  acts: number
  tier: string | null
  tier_until: number | null
}

export interface Usage {
  /** In all databases. */
  readonly used: Amounts
  /** In all databases but that of the identifier. */
  readonly elsewhere: Amounts
  /** What pay said last, while it holds. */
  readonly tier: Tier | null
}

/** For writes whose second parameter is the identity: they hold to what the budget decided, whatever was written since. */
export const hasRoom = (condition: string) =>
  `coalesce((SELECT ${condition} FROM consent_usage WHERE creator_did = ?2), 1)`

/** What each identity keeps, as the triggers of the tables have counted it, and its tier. */
export class UsageStore {
  readonly #databases: Databases

  constructor(databases: Databases) {
    this.#databases = databases
  }

  /** In all databases. */
  async kept(did: string): Promise<Amounts> {
    return sum(await Promise.all(this.#databases.map((db) => read(db, did))))
  }

  async read(did: string, hash: string, now: number): Promise<Usage> {
    const here = databaseOf(this.#databases, hash)
    const rows = await Promise.all(this.#databases.map(async (db) => ({ db, row: await read(db, did) })))
    const elsewhere = sum(rows.filter(({ db }) => db !== here).map(({ row }) => row))
    const known = rows.find(({ row }) => row?.tier_until && row.tier_until > now)?.row?.tier
    return { used: sum(rows.map(({ row }) => row)), elsewhere, tier: TIERS.find((tier) => tier === known) ?? null }
  }

  /** Keeps the tier of an identity that has written before; of any other, none is asked for. */
  async entitle(did: string, tier: Tier, until: number): Promise<void> {
    await Promise.all(
      this.#databases.map((db) => {
        const statement = db
          .prepare('UPDATE consent_usage SET tier = ?2, tier_until = ?3 WHERE creator_did = ?1')
          .bind(did, tier, until)
        return reaching('consent', () => statement.run())
      }),
    )
  }
}

function read(db: D1Database, did: string): Promise<Row | null> {
  const statement = db
    .prepare('SELECT records + claims AS kept, acts, tier, tier_until FROM consent_usage WHERE creator_did = ?')
    .bind(did)
  return reaching('consent', () => statement.first<Row>())
}

function sum(rows: readonly (Row | null)[]): Amounts {
  const total = (of: 'kept' | 'acts') => rows.reduce((all, row) => all + (row?.[of] ?? 0), 0)
  return { consentRecords: total('kept'), consentActs: total('acts') }
}

import { reaching } from '@svc/protocol/base/dependency-fault'
import { type CatalogueEntry, DEFAULT_REGION, type Region } from './rules.ts'

interface EntryRow {
  sku: string
  display: string
  kind: CatalogueEntry['kind']
  tier: CatalogueEntry['tier']
  interval: CatalogueEntry['interval']
  is_recommended: 0 | 1
  amount_minor: number | null
}

/** A country without a region of its own, or an unknown one, is in the default region. */
const REGION = `SELECT region, currency, locale FROM regions WHERE region =
  coalesce((SELECT region FROM region_countries WHERE country = ?1), '${DEFAULT_REGION}')`

/** The catalogue in D1: written by migrations and by the operator, read here. */
export class OfferStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  /** All offers at the prices of a country's region, read in one batch. */
  async catalogue(country: string | null): Promise<{ entries: CatalogueEntry[]; region: Region }> {
    const [regions, entries] = await reaching('catalogue', () =>
      this.#db.batch<Region | EntryRow>([
        this.#db.prepare(REGION).bind(country),
        this.#db
          .prepare(
            `WITH here AS (${REGION})
             SELECT s.sku, s.display, s.kind, s.tier, s.interval, s.is_recommended, p.amount_minor
             FROM skus s LEFT JOIN prices p ON p.sku = s.sku AND p.region = (SELECT region FROM here)
             WHERE s.is_offered = 1 ORDER BY s.position, s.sku`,
          )
          .bind(country),
      ]),
    )
    const [region] = (regions?.results ?? []) as Region[]
    if (!region) throw new Error('the catalogue has no default region')
    return { entries: ((entries?.results ?? []) as EntryRow[]).map(entryOf), region }
  }

  /** The tier of a SKU, even if it is no longer offered; null for an unknown one. */
  async tierOf(sku: string): Promise<CatalogueEntry['tier'] | null> {
    const statement = this.#db.prepare('SELECT tier FROM skus WHERE sku = ?').bind(sku)
    return reaching('catalogue', () => statement.first<CatalogueEntry['tier']>('tier'))
  }
}

function entryOf(row: EntryRow): CatalogueEntry {
  const { sku, display, kind, tier, interval, is_recommended, amount_minor } = row
  return { sku, display, kind, tier, interval, isRecommended: is_recommended === 1, amountMinor: amount_minor }
}

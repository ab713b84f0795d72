import { reaching } from '@svc/protocol/base/dependency-fault'
import type { RegistrantPage } from '@svc/protocol/operator/reads'

const PAGE = 100

/** Texts by the identity that registered one of them, for the operator. */
export class RegistrantList {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  async page(assetId: string, after: string | null): Promise<Pick<RegistrantPage, 'texts' | 'next'>> {
    const select = this.#db
      .prepare(
        `SELECT asset_id AS assetId, registered_at AS registeredAt FROM text_assets
         WHERE registrant = (SELECT registrant FROM text_assets WHERE asset_id = ?1) AND asset_id > ?2
           AND registered_at IS NOT NULL ORDER BY asset_id LIMIT ?3`,
      )
      .bind(assetId, after ?? '', PAGE + 1)
    const { results } = await reaching('database', () => select.all<RegistrantPage['texts'][number]>())
    const texts = results.slice(0, PAGE)
    return { texts, next: results.length > PAGE ? (texts.at(-1)?.assetId ?? null) : null }
  }
}

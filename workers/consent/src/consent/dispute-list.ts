import { reaching } from '@svc/protocol/base/dependency-fault'
import { compareHashes, type Preferences } from '@svc/protocol/consent/consent'
import type { Dispute, DisputePage } from '@svc/protocol/operator/reads'
import { preferencesOf } from './rows.ts'
import type { Databases } from './shards.ts'

const PAGE = 50

interface Row {
  content_hash: string
  holder: string
  held: string | null
  created_at: number
  creator_did: string
  preferences: string
  recorded_at: number
}

/** Identifiers with claims that are not settled, in order. A claim exists only beside a record with an owner. */
const SELECT = `SELECT r.content_hash, r.creator_did AS holder, r.created_at,
    CASE WHEN r.status = 'published' THEN r.preferences END AS held, c.creator_did, c.preferences, c.recorded_at
  FROM consent_claims c JOIN consent_records r ON r.content_hash = c.content_hash
  WHERE c.act_hash IS NOT NULL AND c.settled_at IS NULL AND c.content_hash IN (
    SELECT DISTINCT content_hash FROM consent_claims
    WHERE act_hash IS NOT NULL AND settled_at IS NULL AND content_hash > ?1 ORDER BY content_hash LIMIT ${PAGE + 1})
  ORDER BY c.recorded_at, c.creator_did`

/** What waits for the operator. */
export class DisputeList {
  readonly #databases: Databases

  constructor(databases: Databases) {
    this.#databases = databases
  }

  async page(after: string | null): Promise<Pick<DisputePage, 'disputes' | 'next'>> {
    const rows = await Promise.all(
      this.#databases.map(async (db) => {
        const statement = db.prepare(SELECT).bind(after ?? '')
        const { results } = await reaching('consent', () => statement.all<Row>())
        return results
      }),
    )
    const disputes = [...Map.groupBy(rows.flat(), ({ content_hash: hash }) => hash)]
      .toSorted(([a], [b]) => compareHashes(a, b))
      .flatMap(([contentHash, claims]) => disputeOf(contentHash, claims))
    const mine = disputes.slice(0, PAGE)
    return { disputes: mine, next: disputes.length > PAGE ? (mine.at(-1)?.contentHash ?? null) : null }
  }
}

function disputeOf(contentHash: string, rows: readonly Row[]): Dispute[] {
  const [first] = rows
  if (!first) return []
  const claims = rows.map(({ creator_did: creatorDid, preferences, recorded_at: recordedAt }) => ({
    creatorDid,
    preferences: JSON.parse(preferences) as Preferences,
    recordedAt,
  }))
  const { holder: holderDid, held, created_at: declaredAt } = first
  return [{ contentHash, holderDid, preferences: preferencesOf(held), declaredAt, claims }]
}

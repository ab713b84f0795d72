import type { Schema } from '@svc/objects'
import { RECORD_FACTS, type RecordPlan } from '@svc/objects/records'

export const CONSENT_CREATOR: Schema = {
  name: 'consent-creator',
  steps: [
    {
      name: 'holdings, totals and reserved room',
      sql: `
        -- What the creator has of each identifier. Stays when nothing is left of it, because its acts stay counted; the
        -- identifier itself, content_hash, does not.
        CREATE TABLE holdings (
          identifier_hash TEXT PRIMARY KEY, content_hash TEXT, revision INTEGER NOT NULL, preferences TEXT, version INTEGER, updated_at INTEGER,
          is_claimed INTEGER NOT NULL, acts INTEGER NOT NULL,
          CHECK ((preferences IS NULL AND is_claimed = 0) = (content_hash IS NULL))
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX holdings_published ON holdings (content_hash) WHERE preferences IS NOT NULL;

        -- Sums over the holdings, and what pay said last of the tier, until then.
        CREATE TABLE totals (
          id INTEGER PRIMARY KEY CHECK (id = 0), records INTEGER NOT NULL, claims INTEGER NOT NULL, acts INTEGER NOT NULL,
          tier TEXT, tier_until INTEGER
        ) STRICT;

        -- Room for writes that are under way. A row without an end of its write is void after ten minutes.
        CREATE TABLE reserved (
          id TEXT PRIMARY KEY, records INTEGER NOT NULL, acts INTEGER NOT NULL, until INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;`,
    },
  ],
  facts: RECORD_FACTS,
}

/** What is recorded of the list of one creator. */
export const CREATOR_RECORDS: RecordPlan = {
  keyed: ['holdings'],
  // Room for writes that are under way, which ended with the object.
  leftOut: ['reserved'],
  erased: ['holdings'],
  lasting: ['totals'],
}

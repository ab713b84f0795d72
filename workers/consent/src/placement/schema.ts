import type { Schema } from '@svc/objects'
import { RECORD_FACTS, type RecordPlan } from '@svc/objects/records'

export const CONSENT_PLACEMENT: Schema = {
  name: 'consent-placement',
  steps: [
    {
      name: 'buckets that were moved',
      sql: `
        -- Only buckets that are not where they were at first. version counts the moves of the bucket.
        CREATE TABLE placements (bucket INTEGER PRIMARY KEY, store TEXT NOT NULL, version INTEGER NOT NULL) STRICT;`,
    },
  ],
  facts: RECORD_FACTS,
}

/** What is recorded of the placement of buckets. */
export const PLACEMENT_RECORDS: RecordPlan = {
  keyed: ['placements'],
}

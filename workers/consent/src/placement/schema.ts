import type { Schema } from '@svc/objects'

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
}

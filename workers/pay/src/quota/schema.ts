import type { Schema } from '@svc/objects'
import { RECORD_FACTS, type RecordPlan } from '@svc/objects/records'

export const QUOTA_METER: Schema = {
  name: 'quota-meter',
  unversionedTable: 'uses',
  steps: [
    {
      name: 'meters and uses',
      sql: `
        CREATE TABLE IF NOT EXISTS meters (
          kind TEXT NOT NULL, period TEXT NOT NULL, used INTEGER NOT NULL, PRIMARY KEY (kind, period)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS uses (
          origin TEXT NOT NULL, key TEXT NOT NULL, kind TEXT NOT NULL, amount INTEGER NOT NULL, period TEXT NOT NULL,
          state TEXT NOT NULL, expires_at INTEGER NOT NULL, receipt TEXT, reversal TEXT, PRIMARY KEY (origin, key)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS uses_reserved ON uses (period, kind) WHERE state = 'reserved';
        CREATE INDEX IF NOT EXISTS uses_by_period ON uses (period);`,
    },
  ],
  facts: RECORD_FACTS,
}

/** What is recorded of the meters of one identity. */
export const METER_RECORDS: RecordPlan = {
  keyed: ['uses'],
  erased: ['meters', 'uses'],
  lasting: [],
}

import type { Schema } from '@svc/objects'
import { RECORD_FACTS, type RecordPlan } from '@svc/objects/records'

export const MEMBERSHIPS: Schema = {
  name: 'memberships',
  steps: [
    {
      name: 'bindings',
      sql: `
        -- What each organization has told of this member, as of an event of its log. The organization can tell it again.
        CREATE TABLE bindings (
          org TEXT PRIMARY KEY, sequence INTEGER NOT NULL, binding TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;`,
    },
  ],
  facts: RECORD_FACTS,
}

/** What is recorded of the memberships of one member. */
export const MEMBERSHIP_RECORDS: RecordPlan = {
  keyed: ['bindings'],
  erased: ['bindings'],
  lasting: [],
}

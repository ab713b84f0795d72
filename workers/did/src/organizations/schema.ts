import type { Schema } from '@svc/objects'
import { RECORD_FACTS, type RecordPlan } from '@svc/objects/records'

export const ORGANIZATION: Schema = {
  name: 'organization',
  facts: ['did', ...RECORD_FACTS],
  steps: [
    {
      name: 'events, members and which members are to be told',
      sql: `
        -- The binding log: signed events, each with the hash of the previous one. Rows are never changed or deleted, and
        -- members can be rebuilt from them.
        CREATE TABLE events (
          sequence INTEGER PRIMARY KEY, hash TEXT NOT NULL, event TEXT NOT NULL, accepted_at INTEGER NOT NULL
        ) STRICT;

        -- The state of each member as of its newest event.
        CREATE TABLE members (
          member TEXT PRIMARY KEY, provider TEXT NOT NULL, subject_hash TEXT NOT NULL, role TEXT NOT NULL,
          permissions TEXT NOT NULL, expires_at INTEGER, is_suspended INTEGER NOT NULL, suspended_from INTEGER,
          suspended_until INTEGER, is_revoked INTEGER NOT NULL, is_accepted INTEGER NOT NULL,
          acceptance_issued_at INTEGER, acceptance_inception TEXT, sequence INTEGER NOT NULL, hash TEXT NOT NULL, kind TEXT NOT NULL,
          accepted_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        -- One subject of a provider stands for one member.
        CREATE UNIQUE INDEX members_by_subject ON members (provider, subject_hash) WHERE is_revoked = 0;

        -- Members whose own objects do not have their newest state yet.
        CREATE TABLE untold (
          member TEXT PRIMARY KEY, attempts INTEGER NOT NULL, due_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;`,
    },
  ],
}

/** What is recorded of an organization. */
export const ORGANIZATION_RECORDS: RecordPlan = {
  appended: { events: { key: 'sequence' } },
  keyed: ['members'],
  erased: ['members'],
  lasting: ['events', 'untold'],
}

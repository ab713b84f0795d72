import { outboxTable, type Schema } from '@svc/objects'
import { RECORD_FACTS, type RecordPlan } from '@svc/objects/records'

export const INBOX: Schema = {
  name: 'inbox',
  unversionedTable: 'messages',
  steps: [
    {
      name: 'requests and messages',
      sql: `
        CREATE TABLE IF NOT EXISTS requests (
          request_id TEXT PRIMARY KEY, asset_id TEXT NOT NULL, kem_key_id TEXT NOT NULL, address TEXT,
          code_hash TEXT NOT NULL, sent_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, sends INTEGER NOT NULL,
          attempts INTEGER NOT NULL, envelope_hash TEXT, delivered_at INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS admissions (
          request_id TEXT PRIMARY KEY, until INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS messages (
          seq INTEGER PRIMARY KEY, msg_id TEXT NOT NULL UNIQUE, request_id TEXT NOT NULL UNIQUE,
          asset_id TEXT NOT NULL, envelope TEXT NOT NULL, received_at INTEGER NOT NULL, read_at INTEGER
        ) STRICT;
        -- Messages that the event feed of the owner does not have yet.
        ${outboxTable('unreported')}
        -- No row while the settings are those of a new inbox.
        CREATE TABLE IF NOT EXISTS settings (
          id INTEGER PRIMARY KEY CHECK (id = 0), accepts_from TEXT NOT NULL
        ) STRICT;`,
    },
  ],
  facts: RECORD_FACTS,
}

/** What is recorded of an inbox. */
export const INBOX_RECORDS: RecordPlan = {
  keyed: ['requests', 'admissions', 'messages'],
  // Messages, and addresses that strangers gave.
  erased: ['requests', 'admissions', 'messages'],
  // Counts of waiting messages.
  lasting: ['unreported', 'settings'],
}

import type { Schema } from '@svc/objects'
import { RECORD_FACTS, type RecordPlan } from '@svc/objects/records'

export const NOTE_VAULT: Schema = {
  name: 'note-vault',
  unversionedTable: 'notes',
  steps: [
    {
      name: 'notes, log and blobs',
      sql: `
        CREATE TABLE IF NOT EXISTS notes (
          note_id TEXT PRIMARY KEY, status TEXT NOT NULL, version INTEGER NOT NULL, seq INTEGER NOT NULL UNIQUE,
          record_hash TEXT NOT NULL, bytes INTEGER NOT NULL, attachments INTEGER NOT NULL, created_at INTEGER NOT NULL,
          updated_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS versions (
          note_id TEXT NOT NULL, version INTEGER NOT NULL, seq INTEGER NOT NULL, record_hash TEXT NOT NULL UNIQUE,
          cipher_hash TEXT NOT NULL, bytes INTEGER NOT NULL, key_id TEXT NOT NULL, operation TEXT NOT NULL, follows TEXT,
          record TEXT NOT NULL, accepted_at INTEGER NOT NULL, PRIMARY KEY (note_id, version)
        ) STRICT;
        CREATE INDEX IF NOT EXISTS versions_by_cipher ON versions (cipher_hash);
        CREATE TABLE IF NOT EXISTS attachments (
          note_id TEXT NOT NULL, attachment_id TEXT NOT NULL, cipher_hash TEXT NOT NULL, bytes INTEGER NOT NULL,
          seq INTEGER NOT NULL, added_at INTEGER NOT NULL, PRIMARY KEY (note_id, attachment_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS attachments_by_cipher ON attachments (cipher_hash);
        CREATE TABLE IF NOT EXISTS changes (
          seq INTEGER PRIMARY KEY, note_id TEXT NOT NULL, kind TEXT NOT NULL, version INTEGER, attachment_id TEXT,
          record_hash TEXT, accepted_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX IF NOT EXISTS changes_by_note ON changes (note_id);
        CREATE TABLE IF NOT EXISTS nodes (
          level INTEGER NOT NULL, idx INTEGER NOT NULL, hash BLOB NOT NULL, PRIMARY KEY (level, idx)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS statements (
          hash TEXT PRIMARY KEY, keep_until INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE IF NOT EXISTS blobs (
          cipher_hash TEXT PRIMARY KEY, r2_key TEXT NOT NULL UNIQUE, bytes INTEGER NOT NULL, refs INTEGER NOT NULL,
          unreferenced_since INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS blobs_waiting ON blobs (unreferenced_since) WHERE unreferenced_since IS NOT NULL;
        CREATE TABLE IF NOT EXISTS condemned (r2_key TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS uploads (
          r2_key TEXT PRIMARY KEY, bytes INTEGER NOT NULL, started_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS usage (
          id INTEGER PRIMARY KEY CHECK (id = 0), bytes INTEGER NOT NULL, objects INTEGER NOT NULL, refs INTEGER NOT NULL,
          records INTEGER NOT NULL
        ) STRICT;
        INSERT INTO usage (id, bytes, objects, refs, records) VALUES (0, 0, 0, 0, 0) ON CONFLICT DO NOTHING;
        CREATE TABLE IF NOT EXISTS lease (
          id INTEGER PRIMARY KEY CHECK (id = 0), did TEXT NOT NULL, seq INTEGER NOT NULL, bytes INTEGER NOT NULL,
          rows INTEGER NOT NULL, told INTEGER NOT NULL
        ) STRICT;`,
    },
  ],
  facts: RECORD_FACTS,
}

/** What is recorded of a vault. The ciphertexts are in object storage. */
export const VAULT_RECORDS: RecordPlan = {
  appended: { changes: { key: 'seq' } },
  keyed: ['notes', 'versions', 'attachments', 'nodes', 'statements', 'blobs', 'condemned'],
  erased: ['notes', 'versions', 'attachments', 'blobs', 'condemned', 'uploads'],
  // The log and its tree, hashes of spent statements, and sums.
  lasting: ['changes', 'nodes', 'statements', 'usage', 'lease'],
}

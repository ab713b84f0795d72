import { outboxTable, type Schema } from '@svc/objects'
import { RECORD_FACTS, type RecordPlan } from '@svc/objects/records'

export const ACCOUNT_DIRECTORY: Schema = {
  name: 'account-directory',
  unversionedTable: 'devices',
  steps: [
    {
      name: 'packages, updates, prekeys and reservations',
      sql: `
        CREATE TABLE IF NOT EXISTS devices (
          device_id TEXT PRIMARY KEY, version INTEGER NOT NULL, revoked_version INTEGER NOT NULL,
          revoked_at INTEGER NOT NULL, revocation TEXT
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS packages (
          device_id TEXT NOT NULL, profile TEXT NOT NULL, suite_id TEXT NOT NULL, version INTEGER NOT NULL,
          seq INTEGER NOT NULL, leaf_id TEXT NOT NULL, pair TEXT NOT NULL, published_at INTEGER NOT NULL,
          PRIMARY KEY (device_id, profile, suite_id)
        ) STRICT;
        -- Every statement of the account that the log has the hash of, for good: a listing accounts for each.
        CREATE TABLE IF NOT EXISTS updates (
          seq INTEGER PRIMARY KEY, statement_hash TEXT NOT NULL UNIQUE, head TEXT NOT NULL, statement TEXT NOT NULL,
          log TEXT, idx INTEGER
        ) STRICT;
        -- Updates whose place is not known, or that the log has not been told about. Each belongs to one log once sent.
        CREATE TABLE IF NOT EXISTS outbox (
          seq INTEGER PRIMARY KEY, leaf_id TEXT NOT NULL, entry TEXT NOT NULL, log TEXT
        ) STRICT;

        -- What the event feed of the owner does not have yet.
        ${outboxTable('unreported')}

        CREATE TABLE IF NOT EXISTS batches (
          batch_id INTEGER PRIMARY KEY, device_id TEXT NOT NULL, root TEXT NOT NULL, signed TEXT NOT NULL,
          issued_at INTEGER NOT NULL, UNIQUE (device_id, root)
        ) STRICT;
        -- 'free' until it is handed out; a last resort stays so. What is 'spent' is kept so that it never comes back.
        CREATE TABLE IF NOT EXISTS prekeys (
          prekey_id TEXT PRIMARY KEY, batch_id INTEGER NOT NULL, idx INTEGER NOT NULL, device_id TEXT NOT NULL,
          profile TEXT NOT NULL, suite_id TEXT NOT NULL, kind TEXT NOT NULL, state TEXT NOT NULL,
          public_key TEXT NOT NULL, proof TEXT NOT NULL, added_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX IF NOT EXISTS prekeys_free ON prekeys (device_id, profile, suite_id, kind, batch_id, idx)
          WHERE state = 'free';
        CREATE INDEX IF NOT EXISTS prekeys_by_batch ON prekeys (batch_id);
        -- How many prekeys are kept for contacts, by what was left after the newest upload.
        CREATE TABLE IF NOT EXISTS pools (
          device_id TEXT NOT NULL, profile TEXT NOT NULL, suite_id TEXT NOT NULL, kept INTEGER NOT NULL,
          PRIMARY KEY (device_id, profile, suite_id)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE IF NOT EXISTS reservations (
          seq INTEGER PRIMARY KEY, reservation_id TEXT NOT NULL UNIQUE, requester TEXT NOT NULL, requester_device TEXT,
          idem_key TEXT NOT NULL, body_hash TEXT NOT NULL, device_id TEXT NOT NULL, profile TEXT NOT NULL,
          suite_id TEXT NOT NULL, kind TEXT NOT NULL, prekey_id TEXT NOT NULL, leaf_id TEXT NOT NULL,
          reserved_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, receipt TEXT, standing TEXT NOT NULL,
          UNIQUE (requester, idem_key)
        ) STRICT;
        CREATE INDEX IF NOT EXISTS reservations_by_time ON reservations (reserved_at);
        CREATE INDEX IF NOT EXISTS reservations_by_prekey ON reservations (prekey_id);

        -- No row while the settings are those of a new account.
        CREATE TABLE IF NOT EXISTS settings (id INTEGER PRIMARY KEY CHECK (id = 0), reserve TEXT NOT NULL) STRICT;
        CREATE TABLE IF NOT EXISTS contacts (tag TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;`,
    },
  ],
  facts: ['publishedHead', 'rootEpoch', 'agreement', ...RECORD_FACTS],
}

/** What is recorded of an account. */
export const DIRECTORY_RECORDS: RecordPlan = {
  // Where an update is in the log is known once it has left the outbox.
  appended: { updates: { key: 'seq', unsettled: 'SELECT min(seq) AS key FROM outbox' } },
  keyed: ['devices', 'packages', 'batches', 'prekeys', 'pools', 'reservations', 'contacts'],
  // Who asked for a prekey, and who may; keys that are spent.
  erased: ['packages', 'batches', 'prekeys', 'pools', 'reservations', 'contacts', 'settings'],
  // Entries of the log, and notifications that are due.
  lasting: ['devices', 'updates', 'outbox', 'unreported'],
  owners: { reservations: 'requester' },
}

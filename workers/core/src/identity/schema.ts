import { NONCE_TABLES } from '@svc/assertion/worker/nonce-store'
import { outboxTable, type Schema } from '@svc/objects'
import { HOOK_TABLES } from '../events/hooks.ts'
import { EVENT_TABLES } from '../events/store.ts'
import { TICKET_TABLES } from '../events/tickets.ts'
import { STORAGE_TABLES } from '../storage/store.ts'

/** Keys, statements, chain, rotations, devices and nonces of an identity, in one database. */
export const IDENTITY: Schema = {
  name: 'identity',
  unversionedTable: 'identity',
  steps: [
    {
      name: 'keys, chain, rotations, devices and nonces',
      sql: `
        CREATE TABLE IF NOT EXISTS identity (
          id INTEGER PRIMARY KEY CHECK (id = 0), did TEXT NOT NULL, scope TEXT NOT NULL, created_at INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE IF NOT EXISTS keys (
          epoch INTEGER PRIMARY KEY, user_id TEXT NOT NULL UNIQUE, public_key BLOB NOT NULL,
          activated_at INTEGER NOT NULL
        ) STRICT;
        -- The newest of each root key: one of an earlier key neither counts nor stands in a later one's way.
        CREATE TABLE IF NOT EXISTS key_statements (
          epoch INTEGER NOT NULL, issued_at INTEGER NOT NULL, signed TEXT NOT NULL, accepted_at INTEGER NOT NULL,
          PRIMARY KEY (epoch, issued_at)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS deactivations (
          id INTEGER PRIMARY KEY CHECK (id = 0), signed TEXT NOT NULL, accepted_at INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE IF NOT EXISTS registrations (
          id INTEGER PRIMARY KEY CHECK (id = 0), services TEXT NOT NULL, registered_at INTEGER NOT NULL,
          updated_at INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE IF NOT EXISTS hold_marks (placed_by TEXT NOT NULL, placed_at INTEGER NOT NULL) STRICT;
        CREATE TABLE IF NOT EXISTS holds (id INTEGER PRIMARY KEY CHECK (id = 0), placed_at INTEGER NOT NULL) STRICT;

        CREATE TABLE IF NOT EXISTS blocks (
          idx INTEGER PRIMARY KEY, hash TEXT NOT NULL, version INTEGER NOT NULL, timestamp TEXT NOT NULL,
          previous_hash TEXT NOT NULL, data_hash TEXT NOT NULL, metadata_hash TEXT NOT NULL, signature BLOB NOT NULL,
          content_type TEXT, key_epoch INTEGER NOT NULL, accepted_at INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE IF NOT EXISTS payloads (idx INTEGER PRIMARY KEY, bytes BLOB, r2_key TEXT) STRICT;
        CREATE INDEX IF NOT EXISTS payloads_in_r2 ON payloads (r2_key) WHERE r2_key IS NOT NULL;
        CREATE TABLE IF NOT EXISTS block_index (
          hash TEXT PRIMARY KEY, idx INTEGER NOT NULL, content_type TEXT
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS block_index_by_type ON block_index (content_type, idx);
        CREATE TABLE IF NOT EXISTS rebuild (
          id INTEGER PRIMARY KEY CHECK (id = 0), done INTEGER NOT NULL, total INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE IF NOT EXISTS rotations (
          position INTEGER PRIMARY KEY, rotation_id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, status TEXT NOT NULL,
          version INTEGER NOT NULL, epoch INTEGER NOT NULL, new_user_id TEXT, request TEXT NOT NULL, requested_at INTEGER NOT NULL,
          deadline INTEGER, contested_at INTEGER, required_cosigners INTEGER NOT NULL, eligible TEXT NOT NULL,
          witnesses TEXT NOT NULL, approval TEXT, activated_at INTEGER
        ) STRICT;
        CREATE UNIQUE INDEX IF NOT EXISTS rotations_one_pending ON rotations (status) WHERE status = 'pending';
        CREATE TABLE IF NOT EXISTS rotation_signatures (
          position INTEGER PRIMARY KEY, rotation_id TEXT NOT NULL, kind TEXT NOT NULL, signer TEXT NOT NULL,
          signed TEXT NOT NULL, accepted_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX IF NOT EXISTS rotation_signatures_by_rotation ON rotation_signatures (rotation_id, position);
        CREATE INDEX IF NOT EXISTS rotations_by_epoch ON rotations (epoch, status);

        CREATE TABLE IF NOT EXISTS inception_events (
          sequence INTEGER PRIMARY KEY, hash TEXT NOT NULL, event TEXT NOT NULL, accepted_at INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE IF NOT EXISTS devices (
          device_id TEXT PRIMARY KEY, public_key BLOB NOT NULL, root_epoch INTEGER NOT NULL, origin TEXT NOT NULL,
          capabilities TEXT NOT NULL, expires_at INTEGER, status TEXT NOT NULL, attested_by INTEGER NOT NULL,
          added_at INTEGER NOT NULL
        ) STRICT;
        -- Since when and until when devices were active, with or without the right to co-sign: what gives them standing.
        -- A span that ended longer ago than standing lasts, or in an earlier epoch, is deleted with the next change.
        CREATE TABLE IF NOT EXISTS device_spans (
          device_id TEXT NOT NULL, root_epoch INTEGER NOT NULL, since INTEGER NOT NULL, until INTEGER,
          expires_at INTEGER, cosigns INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX IF NOT EXISTS device_spans_by_device ON device_spans (device_id, until);
        -- What the key directory has not acknowledged yet.
        ${outboxTable('root_updates')}
        CREATE TABLE IF NOT EXISTS rosters (
          version INTEGER PRIMARY KEY, officers TEXT NOT NULL, quorum INTEGER NOT NULL
        ) STRICT;
        ${EVENT_TABLES}
        ${STORAGE_TABLES}
        ${NONCE_TABLES}`,
    },
    {
      // Which event set a roster, and when. The events of older rosters are looked up in the log.
      name: 'the events of rosters',
      sql: `
        CREATE TABLE IF NOT EXISTS roster_events (
          version INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, accepted_at INTEGER NOT NULL
        ) STRICT;
        INSERT OR IGNORE INTO roster_events (version, sequence, accepted_at)
          SELECT coalesce(json_extract(event, '$.statement.rosterVersion'), 1), sequence, accepted_at
          FROM inception_events
          WHERE json_extract(event, '$.statement.type') IN ('svc/org-inception/v1', 'svc/org-officers/v1');`,
    },
    { name: 'tickets for sockets of the event feed', sql: TICKET_TABLES },
    { name: 'web hooks of the event feed', sql: HOOK_TABLES },
  ],
}

/** The name that a key of another identity would have as a DID: reserved for that key permanently. */
export const ALIAS: Schema = {
  name: 'alias',
  unversionedTable: 'alias',
  steps: [
    {
      name: 'alias',
      sql: `CREATE TABLE IF NOT EXISTS alias (
              id INTEGER PRIMARY KEY CHECK (id = 0), kind TEXT NOT NULL, user_id TEXT NOT NULL, did TEXT NOT NULL,
              scope TEXT NOT NULL, reserved_at INTEGER NOT NULL
            ) STRICT`,
    },
  ],
}

import type { Schema } from '@svc/objects'

/**
 * What the object of a log keeps: its head, its right edge, and the ids of young leaves. The tables of ids are made per
 * period (`taken_<period>`, `acknowledged_<period>`) and dropped whole.
 */
export const LOG_SCHEMA: Schema = {
  name: 'log',
  steps: [
    {
      name: 'head, periods and cosignatures',
      sql: `
        CREATE TABLE log (
          id INTEGER PRIMARY KEY CHECK (id = 0), name TEXT NOT NULL,
          -- The version of the seed that its key is derived from.
          key_version INTEGER NOT NULL,
          -- When its first checkpoint was signed.
          opened_at INTEGER,
          -- Once it is closed: the log that goes on, and the last checkpoint.
          next TEXT, final TEXT
        ) STRICT;
        CREATE TABLE head (
          id INTEGER PRIMARY KEY CHECK (id = 0), batch INTEGER NOT NULL, size INTEGER NOT NULL, root TEXT NOT NULL,
          -- Per level, the hashes of the last tile while it is not full; the size says how many.
          edge BLOB NOT NULL,
          -- The entries of the last bundle, one per line, while it is not full.
          tail TEXT NOT NULL
        ) STRICT;
        -- When batches were made. 'open' until the ids of its leaves are dropped; kept as long as its heads are.
        CREATE TABLE periods (
          period INTEGER PRIMARY KEY, began_at INTEGER NOT NULL, first_batch INTEGER NOT NULL,
          first_index INTEGER NOT NULL, state TEXT NOT NULL CHECK (state IN ('open', 'dropped'))
        ) STRICT;
        -- Leaves of dropped periods whose owners have not said that they know the place, or have said it just now. The
        -- others are asked from time to time.
        CREATE TABLE unacknowledged (
          idx INTEGER PRIMARY KEY, leaf_id TEXT NOT NULL UNIQUE, known_at INTEGER, asked_at INTEGER
        ) STRICT;
        CREATE INDEX unacknowledged_known ON unacknowledged (known_at) WHERE known_at IS NOT NULL;
        CREATE INDEX unacknowledged_asked ON unacknowledged (asked_at) WHERE asked_at IS NOT NULL;
        -- Sizes that the log had: their partial tiles go once no reader can still be about to read them.
        CREATE TABLE retired (size INTEGER PRIMARY KEY, next INTEGER NOT NULL, since INTEGER NOT NULL) STRICT;
        CREATE TABLE cosignatures (witness TEXT PRIMARY KEY, size INTEGER NOT NULL, signed TEXT NOT NULL) STRICT;`,
    },
  ],
}

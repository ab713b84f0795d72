import type { Schema } from '@svc/objects'

export const ANCHOR_LOG: Schema = {
  name: 'anchor-log',
  unversionedTable: 'outbox',
  steps: [
    {
      name: 'name, entries, tree and outbox',
      sql: `
        CREATE TABLE IF NOT EXISTS opened (
          id INTEGER PRIMARY KEY CHECK (id = 0), log TEXT NOT NULL, opened_at INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE IF NOT EXISTS entries (
          idx INTEGER PRIMARY KEY, anchor_id TEXT NOT NULL UNIQUE
        ) STRICT;
        CREATE TABLE IF NOT EXISTS nodes (
          level INTEGER NOT NULL, idx INTEGER NOT NULL, hash BLOB NOT NULL, PRIMARY KEY (level, idx)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS outbox (idx INTEGER PRIMARY KEY, anchor TEXT NOT NULL) STRICT;`,
    },
  ],
}

import type { Schema } from '@svc/objects'

export const TRANSPARENCY_LOG: Schema = {
  name: 'transparency-log',
  unversionedTable: 'cosignatures',
  steps: [
    {
      name: 'the log',
      sql: `
        CREATE TABLE IF NOT EXISTS head (id INTEGER PRIMARY KEY, size INTEGER NOT NULL, root TEXT NOT NULL) STRICT;
        CREATE TABLE IF NOT EXISTS edge (level INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
        -- The entries of the last bundle, while it is not full.
        CREATE TABLE IF NOT EXISTS tail (idx INTEGER PRIMARY KEY, entry TEXT NOT NULL) STRICT;
        CREATE TABLE IF NOT EXISTS pending (
          seq INTEGER PRIMARY KEY AUTOINCREMENT, leaf_id TEXT NOT NULL UNIQUE, entry TEXT NOT NULL
        ) STRICT;
        CREATE TABLE IF NOT EXISTS leaves (leaf_id TEXT PRIMARY KEY, idx INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS obsolete (key TEXT PRIMARY KEY, since INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS cosignatures (
          witness TEXT PRIMARY KEY, size INTEGER NOT NULL, signed TEXT NOT NULL
        ) STRICT;`,
    },
  ],
}

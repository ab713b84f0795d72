import type { Schema } from '@svc/objects'

export const BEACON: Schema = {
  name: 'beacon',
  steps: [
    {
      name: 'head, published checkpoint and witnesses',
      sql: `
        CREATE TABLE head (
          id INTEGER PRIMARY KEY CHECK (id = 0), size INTEGER NOT NULL, at INTEGER NOT NULL,
          -- Per level, the hashes of the last tile while it is not full; the size says how many.
          edge BLOB NOT NULL
        ) STRICT;
        -- The entries of the last bundle while it is not full.
        CREATE TABLE tail (idx INTEGER PRIMARY KEY, entry TEXT NOT NULL) STRICT;
        CREATE TABLE published (id INTEGER PRIMARY KEY CHECK (id = 0), size INTEGER NOT NULL, note TEXT NOT NULL) STRICT;
        -- The size that each witness has cosigned.
        CREATE TABLE witnesses (url TEXT PRIMARY KEY, size INTEGER NOT NULL) STRICT;`,
    },
  ],
}

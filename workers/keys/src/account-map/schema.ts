import type { Schema } from '@svc/objects'

export const MAP_BUCKET: Schema = {
  name: 'map-bucket',
  facts: ['head'],
  steps: [
    {
      name: 'pages',
      sql: `
        -- By the digits of the labels below the bucket. \`undo\` has the slots that the newest epoch has changed, as they
        -- were before it. A page stays for good, as its accounts do.
        CREATE TABLE pages (
          digits TEXT PRIMARY KEY, epoch INTEGER NOT NULL, slots BLOB NOT NULL, undo BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;`,
    },
  ],
}

export const ACCOUNT_MAP: Schema = {
  name: 'account-map',
  facts: ['due', 'looked', 'refilling'],
  steps: [
    {
      name: 'maps and logs',
      sql: `
        -- The newest map that is in the log, and the next one while it is being made; older ones are deleted with the
        -- signing. \`log\` and \`size\`: which entries are counted in \`heads\`. \`to_log\` and \`to_size\`: which are to be.
        CREATE TABLE maps (
          epoch INTEGER PRIMARY KEY, at INTEGER NOT NULL, log TEXT NOT NULL, size INTEGER NOT NULL, step INTEGER NOT NULL,
          heads TEXT NOT NULL, to_log TEXT NOT NULL, to_size INTEGER NOT NULL,
          -- Where the log has it; null until it does.
          idx INTEGER
        ) STRICT;
        -- Every log that was counted, in order, for good. \`root\`: of the map at its end, once it was closed.
        CREATE TABLE logs (ordinal INTEGER PRIMARY KEY, log TEXT NOT NULL UNIQUE, size INTEGER, root TEXT) STRICT;
        -- Buckets that have lost pages; deleted once they are recomputed.
        CREATE TABLE repairs (bucket INTEGER PRIMARY KEY) STRICT;`,
    },
  ],
}

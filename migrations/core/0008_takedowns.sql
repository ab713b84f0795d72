-- Content that the operator took down, in order. The CID stays, so that it cannot be fetched or pinned again.
CREATE TABLE takedowns (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL CHECK (kind = 'pin'),
  subject_id TEXT NOT NULL UNIQUE,
  reason TEXT NOT NULL,
  operator TEXT NOT NULL,
  nonce TEXT NOT NULL,
  taken_down_at INTEGER NOT NULL
) STRICT;

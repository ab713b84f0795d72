-- Operator acts: each is recorded before it is performed and marked once it is done.
CREATE TABLE operator_acts (
  nonce TEXT PRIMARY KEY,
  type TEXT NOT NULL,
  signed TEXT NOT NULL,
  operator TEXT NOT NULL,
  recorded_at INTEGER NOT NULL,
  done_at INTEGER
) STRICT;

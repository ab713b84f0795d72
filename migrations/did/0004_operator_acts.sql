-- Operator acts that this service has taken: each is recorded before it is done, and marked when it is.
CREATE TABLE operator_acts (
  nonce TEXT PRIMARY KEY,
  type TEXT NOT NULL,
  signed TEXT NOT NULL,
  operator TEXT NOT NULL,
  recorded_at INTEGER NOT NULL,
  done_at INTEGER
) STRICT;

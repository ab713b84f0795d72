-- Operator acts that this service has done, each once.
CREATE TABLE operator_acts (
  nonce TEXT PRIMARY KEY,
  type TEXT NOT NULL,
  signed TEXT NOT NULL,
  operator TEXT NOT NULL,
  recorded_at INTEGER NOT NULL
) STRICT;

-- Acts of the deployment's operator: what was signed and by which key, when it was accepted and when it was completed. They
-- are kept apart from what callers fill, so that the operator can act on a service whose database is full.
CREATE TABLE operator_acts (
  nonce TEXT NOT NULL PRIMARY KEY,
  type TEXT NOT NULL,
  signed TEXT NOT NULL,
  operator TEXT NOT NULL,
  recorded_at INTEGER NOT NULL,
  done_at INTEGER
) STRICT, WITHOUT ROWID;

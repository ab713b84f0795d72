CREATE TABLE operator_acts (
  nonce TEXT NOT NULL PRIMARY KEY,
  type TEXT NOT NULL,
  signed TEXT NOT NULL,
  operator TEXT NOT NULL,
  recorded_at INTEGER NOT NULL,
  done_at INTEGER
) STRICT, WITHOUT ROWID;

-- Acts of the deployment's operator: what was signed, when it was accepted and when it was completed.
CREATE TABLE operator_acts (
  nonce TEXT PRIMARY KEY,
  type TEXT NOT NULL,
  signed TEXT NOT NULL,
  recorded_at INTEGER NOT NULL,
  done_at INTEGER
) STRICT;

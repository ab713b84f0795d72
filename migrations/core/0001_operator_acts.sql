-- Acts of the deployment's operator: what was signed, when it was taken and when it was done.
CREATE TABLE operator_acts (
  nonce TEXT PRIMARY KEY,
  type TEXT NOT NULL,
  signed TEXT NOT NULL,
  recorded_at INTEGER NOT NULL,
  done_at INTEGER
) STRICT;

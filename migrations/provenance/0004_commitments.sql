-- A `historical` record keeps what an earlier service stored in `record`, unchanged; none of it is returned.
CREATE TABLE commitments (
  id TEXT PRIMARY KEY,
  did TEXT,
  commitment_hash TEXT NOT NULL,
  algorithm TEXT NOT NULL,
  profile TEXT NOT NULL CHECK (profile IN ('native', 'historical')),
  record TEXT,
  created_at INTEGER NOT NULL,
  CHECK (profile = 'historical' OR (did IS NOT NULL AND record IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX commitments_by_did ON commitments (did);

-- Activation codes by their hash: the code itself is never stored.
CREATE TABLE activation_codes (
  code_hash TEXT PRIMARY KEY,
  tier TEXT NOT NULL,
  redeemable_until INTEGER NOT NULL,
  licence_days INTEGER NOT NULL,
  issued_at INTEGER NOT NULL,
  redeemed_by TEXT,
  redeemed_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE licences (
  did TEXT PRIMARY KEY,
  tier TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  granted_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Invitation requests: an address and a message, which the hourly sweep deletes after 90 days.
CREATE TABLE invite_requests (
  email TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  reason TEXT NOT NULL,
  requested_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX invite_requests_by_age ON invite_requests (requested_at);

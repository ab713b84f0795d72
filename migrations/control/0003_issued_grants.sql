-- What the operator gives at pay: licences and plans, one of each for an identity, and the grants of redeemed codes. Of the
-- same shape as the grants that were paid for, which are in pay's own database. `as_of` is when the act was signed.
CREATE TABLE issued_grants (
  id TEXT PRIMARY KEY,
  did TEXT NOT NULL,
  tier TEXT NOT NULL,
  source TEXT NOT NULL,
  status TEXT NOT NULL,
  period_start INTEGER NOT NULL,
  period_end INTEGER NOT NULL,
  renews INTEGER NOT NULL,
  grace_until INTEGER,
  next_tier TEXT,
  subscription_id TEXT,
  as_of INTEGER NOT NULL,
  version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX issued_grants_by_owner ON issued_grants (did, period_end);

-- Codes that grant a tier, by their hash: the code itself is never stored.
CREATE TABLE entitlement_codes (
  code_hash TEXT PRIMARY KEY,
  tier TEXT NOT NULL,
  days INTEGER NOT NULL,
  redeemable_until INTEGER NOT NULL,
  issued_at INTEGER NOT NULL,
  redeemed_by TEXT,
  redeemed_at INTEGER
) STRICT, WITHOUT ROWID;

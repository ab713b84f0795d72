-- Policies in the order in which they took effect. Rows are added and never changed.
CREATE TABLE governance_policies (
  position INTEGER PRIMARY KEY,
  policy_id TEXT NOT NULL UNIQUE,
  previous_policy_id TEXT UNIQUE,
  policy TEXT NOT NULL,
  nonce TEXT NOT NULL,
  attestations TEXT NOT NULL,
  signers TEXT NOT NULL,
  activated_at INTEGER NOT NULL,
  activated_by TEXT NOT NULL
) STRICT;

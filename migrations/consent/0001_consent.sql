-- One row for every identifier that was ever declared. A revoked one keeps its row: its first publisher keeps it, and
-- what was signed for it stays spent. `creator_did` is NULL on ownerless records, which nobody can change.
CREATE TABLE consent_records (
  content_hash TEXT PRIMARY KEY,
  creator_did TEXT,
  preferences TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('published', 'revoked')),
  version INTEGER NOT NULL,
  last_act TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX consent_records_by_creator ON consent_records (creator_did, content_hash) WHERE status = 'published';

-- Every key that has signed, once: a key takes 2.6 kB.
CREATE TABLE consent_keys (
  user_id TEXT PRIMARY KEY,
  public_key TEXT NOT NULL
) STRICT;

-- What was signed, in order. `preferences` are as they were signed and NULL for a deletion; `state` is what is declared
-- thereafter and NULL once nothing is. `act_hash` names the signature.
CREATE TABLE consent_acts (
  content_hash TEXT NOT NULL,
  version INTEGER NOT NULL,
  act_hash TEXT NOT NULL,
  action TEXT NOT NULL,
  preferences TEXT,
  state TEXT,
  user_id TEXT NOT NULL,
  signature TEXT NOT NULL,
  signer TEXT NOT NULL,
  recorded_at INTEGER NOT NULL,
  PRIMARY KEY (content_hash, version)
) STRICT;

CREATE UNIQUE INDEX consent_acts_by_hash ON consent_acts (content_hash, act_hash);

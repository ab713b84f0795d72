-- One row per identifier that was ever declared. A revoked record keeps its row, so that its first publisher keeps it and
-- its signed acts stay spent. `creator_did` is NULL for ownerless records, which nobody can change. `held_from` is the
-- version at which its creator got it by a settlement, and 0 for the first publisher; `created_at` is when the first
-- publisher declared it. `bucket` follows from the identifier.
CREATE TABLE consent_records (
  content_hash TEXT PRIMARY KEY,
  creator_did TEXT,
  preferences TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('published', 'revoked')),
  version INTEGER NOT NULL,
  held_from INTEGER NOT NULL DEFAULT 0,
  last_act TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  bucket INTEGER NOT NULL CHECK (bucket BETWEEN 0 AND 1023)
) STRICT, WITHOUT ROWID;

CREATE INDEX consent_records_by_creator ON consent_records (creator_did, content_hash) WHERE status = 'published';
CREATE INDEX consent_records_by_bucket ON consent_records (bucket, content_hash);

-- Every key that has signed, stored once: a key takes 2.6 kB.
CREATE TABLE consent_keys (
  user_id TEXT PRIMARY KEY,
  public_key TEXT NOT NULL
) STRICT;

-- The signed acts, in order. `preferences` are as signed and NULL for a deletion; `state` is what is declared
-- afterwards and NULL if nothing is. `act_hash` identifies the signature. A settlement is an act of the operator: its
-- statement is in `settlement`, and `previous_creator_did` is whose acts came before it.
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
  settlement TEXT,
  previous_creator_did TEXT,
  PRIMARY KEY (content_hash, version),
  CHECK ((action = 'settle') = (settlement IS NOT NULL)),
  CHECK ((action = 'settle') = (previous_creator_did IS NOT NULL))
) STRICT;

CREATE UNIQUE INDEX consent_acts_by_hash ON consent_acts (content_hash, act_hash);

-- Competing claims to identifiers that another creator holds, one for each claimant; those of the newest claimants are
-- kept. `act_hash` is NULL, and so is what was signed, once the claim is withdrawn or its claimant got the identifier.
-- `spent` are the hashes of all acts of the claimant here, a JSON array: none of them counts again.
CREATE TABLE consent_claims (
  content_hash TEXT NOT NULL,
  creator_did TEXT NOT NULL,
  act_hash TEXT,
  preferences TEXT,
  public_key TEXT,
  signature TEXT,
  signer TEXT,
  recorded_at INTEGER NOT NULL,
  settled_at INTEGER,
  spent TEXT NOT NULL,
  PRIMARY KEY (content_hash, creator_did)
) STRICT;

CREATE INDEX consent_claims_open ON consent_claims (content_hash) WHERE act_hash IS NOT NULL AND settled_at IS NULL;

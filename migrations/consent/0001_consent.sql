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

-- What each identity keeps, for its budget. The triggers count it, so that no write can forget to. `tier` is what pay said
-- last, and holds until `tier_until`.
CREATE TABLE consent_usage (
  creator_did TEXT PRIMARY KEY,
  records INTEGER NOT NULL DEFAULT 0,
  claims INTEGER NOT NULL DEFAULT 0,
  acts INTEGER NOT NULL DEFAULT 0,
  tier TEXT,
  tier_until INTEGER
) STRICT, WITHOUT ROWID;

CREATE TRIGGER consent_record_added AFTER INSERT ON consent_records
WHEN NEW.creator_did IS NOT NULL AND NEW.status = 'published'
BEGIN
  INSERT INTO consent_usage (creator_did, records) VALUES (NEW.creator_did, 1)
  ON CONFLICT (creator_did) DO UPDATE SET records = records + 1;
END;

CREATE TRIGGER consent_record_changed AFTER UPDATE OF creator_did, status ON consent_records
BEGIN
  UPDATE consent_usage SET records = records - 1 WHERE creator_did = OLD.creator_did AND OLD.status = 'published';
  INSERT INTO consent_usage (creator_did, records) SELECT NEW.creator_did, 1
  WHERE NEW.creator_did IS NOT NULL AND NEW.status = 'published'
  ON CONFLICT (creator_did) DO UPDATE SET records = records + 1;
END;

CREATE TRIGGER consent_act_added AFTER INSERT ON consent_acts WHEN NEW.action <> 'settle'
BEGIN
  UPDATE consent_usage SET acts = acts + 1
  WHERE creator_did = (SELECT creator_did FROM consent_records WHERE content_hash = NEW.content_hash);
END;

CREATE TRIGGER consent_claim_added AFTER INSERT ON consent_claims WHEN NEW.act_hash IS NOT NULL
BEGIN
  INSERT INTO consent_usage (creator_did, claims) VALUES (NEW.creator_did, 1)
  ON CONFLICT (creator_did) DO UPDATE SET claims = claims + 1;
END;

CREATE TRIGGER consent_claim_changed AFTER UPDATE OF act_hash ON consent_claims
BEGIN
  UPDATE consent_usage SET claims = claims - (OLD.act_hash IS NOT NULL) + (NEW.act_hash IS NOT NULL)
  WHERE creator_did = NEW.creator_did;
END;

CREATE TRIGGER consent_claim_deleted AFTER DELETE ON consent_claims WHEN OLD.act_hash IS NOT NULL
BEGIN
  UPDATE consent_usage SET claims = claims - 1 WHERE creator_did = OLD.creator_did;
END;

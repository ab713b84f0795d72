-- Guardian requests and attestations. Statements are kept as signed, so that those who rely on them can verify them.
CREATE TABLE guardian_requests (
  request_id TEXT PRIMARY KEY,
  did TEXT NOT NULL,
  -- Epoch of the root key that signed it.
  root_epoch INTEGER NOT NULL,
  signed TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX guardian_requests_by_did ON guardian_requests (did, expires_at);
CREATE INDEX guardian_requests_by_expiry ON guardian_requests (expires_at);

CREATE TABLE guardian_attestations (
  request_id TEXT NOT NULL REFERENCES guardian_requests (request_id),
  guardian_did TEXT NOT NULL,
  signed TEXT NOT NULL,
  public_key TEXT NOT NULL,
  attested_at INTEGER NOT NULL,
  PRIMARY KEY (request_id, guardian_did)
) STRICT;

CREATE TABLE epochs (
  epoch INTEGER PRIMARY KEY,
  opens_at INTEGER NOT NULL,
  closes_at INTEGER NOT NULL
) STRICT;

-- By DID, which a rotation does not change.
CREATE TABLE epoch_members (
  epoch INTEGER NOT NULL REFERENCES epochs (epoch),
  did TEXT NOT NULL,
  user_id TEXT NOT NULL,
  joined_at INTEGER NOT NULL,
  acknowledged_at INTEGER,
  PRIMARY KEY (epoch, did)
) STRICT;
CREATE INDEX epoch_members_by_did ON epoch_members (did);

-- Names and hashes of prekeys that an earlier system held. They are never handed out.
CREATE TABLE prekey_inventory (
  did TEXT NOT NULL,
  key_id TEXT NOT NULL,
  key_hash TEXT NOT NULL,
  recorded_at INTEGER NOT NULL,
  PRIMARY KEY (did, key_id)
) STRICT;

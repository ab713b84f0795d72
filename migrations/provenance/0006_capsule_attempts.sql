-- One row for each capsule that an identity tried to register for an asset, so that of several at once none stands in
-- another's way: the one that is completed first is the registration, and there is never a second.
CREATE TABLE capsule_attempts (
  asset_id TEXT NOT NULL,
  did TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('image', 'video')),
  capsule_hash TEXT NOT NULL,
  body_key TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'registered')),
  position INTEGER UNIQUE,
  registered_at INTEGER,
  block_index TEXT,
  block_hash TEXT,
  block_accepted_at INTEGER,
  PRIMARY KEY (asset_id, did, capsule_hash),
  CHECK ((state = 'registered') = (position IS NOT NULL)),
  CHECK ((state = 'registered') = (registered_at IS NOT NULL))
) STRICT, WITHOUT ROWID;
INSERT INTO capsule_attempts
  SELECT asset_id, did, kind, capsule_hash, body_key, state, position, registered_at, block_index, block_hash,
    block_accepted_at FROM capsules;
DROP TABLE capsules;
ALTER TABLE capsule_attempts RENAME TO capsules;
CREATE INDEX capsules_by_asset ON capsules (asset_id, position);
CREATE UNIQUE INDEX capsules_registered ON capsules (asset_id, did) WHERE state = 'registered';

-- Capsules that are being registered: not acknowledged yet, and invisible. Each has a row of its own, so that several
-- registrations of one asset do not block each other; the first to complete becomes the row in `capsules`, and the others
-- are deleted. Pending rows of `capsules` predate this table and give way.
CREATE TABLE capsules_prepared (
  asset_id TEXT NOT NULL,
  did TEXT NOT NULL,
  capsule_hash TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('image', 'video')),
  body_key TEXT NOT NULL,
  prepared_at INTEGER NOT NULL,
  PRIMARY KEY (asset_id, did, capsule_hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX capsules_prepared_by_age ON capsules_prepared (prepared_at);

-- The last position of an asset, where a registration was deleted: a position is not used again.
CREATE TABLE capsule_positions (
  asset_id TEXT PRIMARY KEY,
  last INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Capsules that are being registered: not acknowledged yet, and invisible. Each has a row of its own, so that several
-- registrations of one asset do not block each other; the first to complete becomes the row in `capsules`, and the others
-- are deleted. Pending rows of `capsules` predate this table and give way.
CREATE TABLE capsules_prepared (
  asset_id TEXT NOT NULL,
  did TEXT NOT NULL,
  capsule_hash TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('image', 'video')),
  body_key TEXT NOT NULL,
  PRIMARY KEY (asset_id, did, capsule_hash)
) STRICT, WITHOUT ROWID;

-- Capsules on their way: what was never answered for, and nobody reads. Each has a row of its own, so that of several of
-- one asset none stands in another's way; the one that is completed first becomes the row in `capsules`, and the others
-- go. Rows of `capsules` that are pending are of before, and give way.
CREATE TABLE capsules_prepared (
  asset_id TEXT NOT NULL,
  did TEXT NOT NULL,
  capsule_hash TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('image', 'video')),
  body_key TEXT NOT NULL,
  PRIMARY KEY (asset_id, did, capsule_hash)
) STRICT, WITHOUT ROWID;

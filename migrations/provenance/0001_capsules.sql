-- One row per registration of an asset by an identity. `pending` rows were never acknowledged: no reader sees them, and
-- repeating the registration completes them. `position` counts the registrations of one asset, as they were completed.
CREATE TABLE capsules (
  asset_id TEXT NOT NULL,
  did TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('image', 'video')),
  capsule_hash TEXT NOT NULL,
  body_key TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'registered')),
  position INTEGER,
  registered_at INTEGER,
  PRIMARY KEY (asset_id, did),
  CHECK ((state = 'registered') = (position IS NOT NULL)),
  CHECK ((state = 'registered') = (registered_at IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX capsules_by_asset ON capsules (asset_id, position);

-- One row for each registration of an asset by an identity. `pending` rows were never answered for: nobody reads them,
-- and the same registration again completes them. `position` is the order in which registrations were completed.
CREATE TABLE capsules (
  asset_id TEXT NOT NULL,
  did TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('image', 'video')),
  capsule_hash TEXT NOT NULL,
  body_key TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'registered')),
  position INTEGER UNIQUE,
  registered_at INTEGER,
  PRIMARY KEY (asset_id, did),
  CHECK ((state = 'registered') = (position IS NOT NULL)),
  CHECK ((state = 'registered') = (registered_at IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX capsules_by_asset ON capsules (asset_id, position);

-- Pins per identity. `request_id` is the pinning service's name for a pin. `upload` names the stored blocks: pins of the
-- same content share them while one of them is pinned.
CREATE TABLE pins (
  did TEXT NOT NULL,
  cid TEXT NOT NULL,
  name TEXT,
  provider TEXT NOT NULL,
  status TEXT NOT NULL,
  bytes INTEGER,
  request_id TEXT,
  upload TEXT,
  pinned_at INTEGER NOT NULL,
  PRIMARY KEY (did, cid)
) STRICT, WITHOUT ROWID;
CREATE INDEX pins_by_cid ON pins (cid);

-- Objects in R2 that no row names yet, or that no row names any more. A key that ends with a slash is a prefix.
CREATE TABLE loose_objects (
  key TEXT PRIMARY KEY,
  since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX loose_objects_by_age ON loose_objects (since);

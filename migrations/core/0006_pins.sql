-- Pins per identity. `request_id` is the pinning service's name for a pin.
CREATE TABLE pins (
  did TEXT NOT NULL,
  cid TEXT NOT NULL,
  name TEXT,
  provider TEXT NOT NULL,
  status TEXT NOT NULL,
  bytes INTEGER,
  request_id TEXT,
  pinned_at INTEGER NOT NULL,
  PRIMARY KEY (did, cid)
) STRICT, WITHOUT ROWID;

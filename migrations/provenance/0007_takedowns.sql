-- What the operator took down, in order. The id stays, so that it cannot be registered again.
CREATE TABLE takedowns (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL CHECK (kind IN ('capsule', 'text', 'keypoints')),
  subject_id TEXT NOT NULL UNIQUE,
  reason TEXT NOT NULL,
  operator TEXT NOT NULL,
  nonce TEXT NOT NULL,
  taken_down_at INTEGER NOT NULL
) STRICT;

-- Objects of taken-down assets that are still to be deleted from R2.
CREATE TABLE takedown_blobs (
  asset_id TEXT NOT NULL,
  body_key TEXT NOT NULL,
  PRIMARY KEY (asset_id, body_key)
) STRICT, WITHOUT ROWID;

-- Equal vectors share an object: it goes with the last set that names it.
CREATE INDEX vector_sets_by_body ON vector_sets (body_key);

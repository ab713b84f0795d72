-- Who keeps a keypoint blob. `upload` names the object, which goes with its last row.
CREATE TABLE keypoints (
  hash TEXT NOT NULL,
  did TEXT NOT NULL,
  upload TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  kept_at INTEGER NOT NULL,
  PRIMARY KEY (hash, did)
) STRICT, WITHOUT ROWID;
CREATE INDEX keypoints_by_did ON keypoints (did, hash);

-- Objects in R2 that no row names yet, or that no row names any more.
CREATE TABLE loose_objects (
  key TEXT PRIMARY KEY,
  since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX loose_objects_by_age ON loose_objects (since);

-- Rotations that an owner has reported as active, after core confirmed it. Bookkeeping: nothing is resolved from here.
CREATE TABLE rotations (
  did TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  rotation_id TEXT NOT NULL,
  activated_at INTEGER NOT NULL,
  recorded_at INTEGER NOT NULL,
  PRIMARY KEY (did, epoch)
) STRICT, WITHOUT ROWID;

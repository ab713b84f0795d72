-- Rotations that an owner reported as active and core confirmed. Bookkeeping: nothing is resolved from these rows.
CREATE TABLE rotations (
  did TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  rotation_id TEXT NOT NULL,
  activated_at INTEGER NOT NULL,
  recorded_at INTEGER NOT NULL,
  PRIMARY KEY (did, epoch)
) STRICT, WITHOUT ROWID;

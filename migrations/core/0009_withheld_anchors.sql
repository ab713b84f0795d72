-- Anchors that the operator withholds, at their places in the logs: what a state proof tells of them.
CREATE TABLE withheld_anchors (
  log_no INTEGER NOT NULL,
  idx INTEGER NOT NULL,
  ground TEXT NOT NULL,
  day TEXT NOT NULL,
  -- Where the act of the operator is.
  act_log TEXT NOT NULL,
  act_idx INTEGER NOT NULL,
  PRIMARY KEY (log_no, idx)
) STRICT, WITHOUT ROWID;

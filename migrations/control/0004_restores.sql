-- The exports that this database comes from, by the time of the import. Operator acts that were signed until `signed_from`
-- are refused: they may have been carried out before the database was lost. An import creates the table where it is missing.
CREATE TABLE IF NOT EXISTS restores (
  restored_at INTEGER PRIMARY KEY,
  export TEXT NOT NULL,
  lost_at INTEGER NOT NULL,
  signed_from INTEGER NOT NULL
) STRICT;

-- Whom the operator admitted to the vault of an epoch. Removed and left members stay, so that only the operator brings
-- them back.
CREATE TABLE epoch_admissions (
  epoch INTEGER NOT NULL REFERENCES epochs (epoch),
  did TEXT NOT NULL,
  admitted_at INTEGER NOT NULL,
  removed_at INTEGER,
  PRIMARY KEY (epoch, did)
) STRICT;
CREATE INDEX epoch_admissions_by_did ON epoch_admissions (did);

-- The members of a vault: admitted, joined and acknowledged. Every read and write asks this view.
CREATE VIEW epoch_vault_members AS
  SELECT m.epoch, m.did, a.admitted_at, m.acknowledged_at
  FROM epoch_members m JOIN epoch_admissions a ON a.epoch = m.epoch AND a.did = m.did
  WHERE m.acknowledged_at IS NOT NULL AND a.removed_at IS NULL;

-- Keys of a vault as they were signed. "members" is the JSON array of the DIDs that the key is for, sorted.
CREATE TABLE epoch_vault_keys (
  epoch INTEGER NOT NULL REFERENCES epochs (epoch),
  generation INTEGER NOT NULL,
  hash TEXT NOT NULL,
  members TEXT NOT NULL,
  signed TEXT NOT NULL,
  published_at INTEGER NOT NULL,
  reported_by TEXT,
  PRIMARY KEY (epoch, generation)
) STRICT;

CREATE TABLE epoch_vault_wraps (
  epoch INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  did TEXT NOT NULL,
  wrap TEXT NOT NULL,
  PRIMARY KEY (epoch, did, generation)
) STRICT, WITHOUT ROWID;
CREATE INDEX epoch_vault_wraps_by_did ON epoch_vault_wraps (did);

CREATE TABLE epoch_vault_notes (
  epoch INTEGER NOT NULL REFERENCES epochs (epoch),
  note_id TEXT NOT NULL,
  author TEXT NOT NULL,
  version INTEGER NOT NULL,
  hash TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  signed TEXT NOT NULL,
  ciphertext TEXT NOT NULL,
  written_at INTEGER NOT NULL,
  PRIMARY KEY (epoch, note_id)
) STRICT;
CREATE INDEX epoch_vault_notes_by_author ON epoch_vault_notes (author, epoch);
-- The bounds of members and vaults are counted from it, without reading the notes.
CREATE INDEX epoch_vault_notes_sizes ON epoch_vault_notes (epoch, author, bytes);

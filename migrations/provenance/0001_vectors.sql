-- The manifest of a registered text: counts and the asset id. `registrant` is the keyed hash of the identity that registered
-- it, or is registering it. `certified` is 1 if the id is the hash of what is registered; such a registration replaces one
-- that is not. `indexed_count` is how many of its chunks are different ones within the text. `body_key` names the vectors in R2.
CREATE TABLE text_assets (
  asset_id TEXT NOT NULL PRIMARY KEY,
  chunk_count INTEGER NOT NULL,
  word_count INTEGER NOT NULL,
  indexed_count INTEGER NOT NULL,
  certified INTEGER NOT NULL CHECK (certified IN (0, 1)),
  body_key TEXT NOT NULL,
  registrant TEXT NOT NULL,
  claimed_at INTEGER,
  registered_at INTEGER,
  CHECK ((claimed_at IS NULL) = (registered_at IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX text_assets_by_registrant ON text_assets (registrant, asset_id);

-- Who registered a text, also as a duplicate, as the same keyed hash. The text and its vectors go with the last of them.
CREATE TABLE text_claimants (
  asset_id TEXT NOT NULL,
  claimant TEXT NOT NULL,
  PRIMARY KEY (asset_id, claimant)
) STRICT, WITHOUT ROWID;

-- Searchable vector sets. An index knows a set by its number alone, which is never reused. `did` and `position` are
-- those of a registered capsule; a text has '' and 0. `generation` is the index that gets the set and `indexed_vectors` how
-- many vectors of it, written before they are sent. `indexed_at` is NULL until the index has accepted them, and `check_at` is NULL once they were found there.
CREATE TABLE vector_sets (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  service TEXT NOT NULL CHECK (service IN ('text', 'semantic', 'fragment', 'video')),
  asset_id TEXT NOT NULL,
  did TEXT NOT NULL,
  position INTEGER NOT NULL DEFAULT 0,
  body_key TEXT NOT NULL,
  indexed_vectors INTEGER,
  generation INTEGER,
  indexed_at INTEGER,
  check_at INTEGER DEFAULT 0,
  UNIQUE (asset_id, service, did),
  CHECK ((indexed_vectors IS NULL) = (generation IS NULL))
) STRICT;
CREATE INDEX vector_sets_by_service ON vector_sets (service, id);
CREATE INDEX vector_sets_to_check ON vector_sets (check_at) WHERE check_at IS NOT NULL;

-- Sets that are still to be taken out of an index. `removed_at` is the first time that the index was told.
CREATE TABLE vector_removals (
  set_id INTEGER PRIMARY KEY,
  service TEXT NOT NULL,
  generation INTEGER NOT NULL,
  vectors INTEGER NOT NULL,
  removed_at INTEGER,
  tried_at INTEGER
) STRICT;
CREATE TRIGGER vector_sets_removed AFTER DELETE ON vector_sets WHEN old.indexed_vectors IS NOT NULL BEGIN
  INSERT INTO vector_removals (set_id, service, generation, vectors)
    VALUES (old.id, old.service, old.generation, old.indexed_vectors);
END;

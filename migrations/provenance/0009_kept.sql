-- What each identity keeps, by budget. Triggers keep the sums, so that every way out counts. A text counts from when it is
-- claimed; a blob of keypoints counts at least a kilobyte. For texts, `did` is the keyed hash of the identity.
CREATE TABLE kept (
  did TEXT NOT NULL,
  budget TEXT NOT NULL CHECK (budget IN ('keypointBytes', 'searchChunks')),
  amount INTEGER NOT NULL CHECK (amount >= 0),
  PRIMARY KEY (did, budget)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER keypoints_kept AFTER INSERT ON keypoints BEGIN
  INSERT INTO kept (did, budget, amount) VALUES (new.did, 'keypointBytes', max(new.bytes, 1024))
    ON CONFLICT (did, budget) DO UPDATE SET amount = amount + excluded.amount;
END;
CREATE TRIGGER keypoints_released AFTER DELETE ON keypoints BEGIN
  UPDATE kept SET amount = amount - max(old.bytes, 1024) WHERE did = old.did AND budget = 'keypointBytes';
  DELETE FROM kept WHERE did = old.did AND budget = 'keypointBytes' AND amount = 0;
END;

CREATE TRIGGER texts_kept AFTER INSERT ON text_assets WHEN new.indexed_count > 0 BEGIN
  INSERT INTO kept (did, budget, amount) VALUES (new.registrant, 'searchChunks', new.indexed_count)
    ON CONFLICT (did, budget) DO UPDATE SET amount = amount + excluded.amount;
END;
CREATE TRIGGER texts_changed AFTER UPDATE OF registrant, indexed_count ON text_assets BEGIN
  INSERT INTO kept (did, budget, amount) SELECT new.registrant, 'searchChunks', new.indexed_count WHERE new.indexed_count > 0
    ON CONFLICT (did, budget) DO UPDATE SET amount = amount + excluded.amount;
  UPDATE kept SET amount = amount - old.indexed_count WHERE did = old.registrant AND budget = 'searchChunks';
  DELETE FROM kept WHERE did = old.registrant AND budget = 'searchChunks' AND amount = 0;
END;
CREATE TRIGGER texts_released AFTER DELETE ON text_assets BEGIN
  UPDATE kept SET amount = amount - old.indexed_count WHERE did = old.registrant AND budget = 'searchChunks';
  DELETE FROM kept WHERE did = old.registrant AND budget = 'searchChunks' AND amount = 0;
END;

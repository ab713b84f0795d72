-- One row per record. An id has at most two: `proved` is 1 if the id certifies the identity that signed the mint, and that
-- record is the asset from then on. It displaces an unproved one by being there, so no step of it can be left undone; the
-- unproved one keeps its transfers and receipts, which nothing changes any more. `head` is the hash of the newest event
-- and guards owner and transfers against concurrent writes. Nobody deletes from these tables.
CREATE TABLE assets (
  asset_id TEXT NOT NULL,
  proved INTEGER NOT NULL CHECK (proved IN (0, 1)),
  header TEXT NOT NULL,
  asset TEXT NOT NULL,
  attestations TEXT NOT NULL,
  owner TEXT NOT NULL,
  transfers INTEGER NOT NULL,
  head TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (asset_id, proved)
) STRICT, WITHOUT ROWID;
CREATE INDEX assets_by_owner ON assets (owner);

CREATE TABLE asset_transfers (
  asset_id TEXT NOT NULL,
  proved INTEGER NOT NULL,
  position INTEGER NOT NULL,
  header TEXT NOT NULL,
  attestations TEXT NOT NULL,
  previous_owner TEXT NOT NULL,
  new_owner TEXT NOT NULL,
  occurred_at INTEGER NOT NULL,
  PRIMARY KEY (asset_id, proved, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE asset_receipts (
  asset_id TEXT NOT NULL,
  proved INTEGER NOT NULL,
  standard TEXT NOT NULL,
  contract TEXT NOT NULL,
  token_id TEXT NOT NULL,
  chain_id TEXT NOT NULL,
  tx_hash TEXT,
  mapped_at INTEGER NOT NULL,
  PRIMARY KEY (asset_id, proved, standard, contract, token_id, chain_id)
) STRICT, WITHOUT ROWID;

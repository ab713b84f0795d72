-- One row for each asset; `transfers` counts its transfers and guards the owner against two writers.
CREATE TABLE assets (
  asset_id TEXT PRIMARY KEY,
  header TEXT NOT NULL,
  asset TEXT NOT NULL,
  attestations TEXT NOT NULL,
  owner TEXT NOT NULL,
  transfers INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX assets_by_owner ON assets (owner);

CREATE TABLE asset_transfers (
  asset_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  header TEXT NOT NULL,
  attestations TEXT NOT NULL,
  previous_owner TEXT NOT NULL,
  new_owner TEXT NOT NULL,
  occurred_at INTEGER NOT NULL,
  PRIMARY KEY (asset_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE asset_receipts (
  asset_id TEXT NOT NULL,
  standard TEXT NOT NULL,
  contract TEXT NOT NULL,
  token_id TEXT NOT NULL,
  chain_id TEXT NOT NULL,
  tx_hash TEXT,
  mapped_at INTEGER NOT NULL,
  PRIMARY KEY (asset_id, standard, contract, token_id, chain_id)
) STRICT, WITHOUT ROWID;

-- The log's order is decided by its object; these rows follow it and are what is queried.
CREATE TABLE anchors (
  idx INTEGER PRIMARY KEY,
  anchor_id TEXT NOT NULL UNIQUE,
  owner TEXT NOT NULL,
  root TEXT NOT NULL,
  epoch TEXT NOT NULL,
  created_at TEXT NOT NULL,
  leaf TEXT NOT NULL
) STRICT;
CREATE INDEX anchors_by_owner ON anchors (owner, idx);

-- A key takes 2.6 kB and signs many times: stored once.
CREATE TABLE attestation_keys (
  user_id TEXT PRIMARY KEY,
  public_key TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE anchor_attestations (
  idx INTEGER NOT NULL,
  position INTEGER NOT NULL,
  user_id TEXT NOT NULL,
  signature TEXT NOT NULL,
  signed_at TEXT,
  PRIMARY KEY (idx, position)
) STRICT, WITHOUT ROWID;

-- What the publisher has reported of an anchor.
CREATE TABLE anchor_publications (
  anchor_id TEXT NOT NULL,
  chain TEXT NOT NULL,
  tx TEXT NOT NULL,
  state TEXT NOT NULL,
  reported_at INTEGER NOT NULL,
  PRIMARY KEY (anchor_id, chain, tx)
) STRICT, WITHOUT ROWID;
CREATE TABLE anchor_publication_nonces (
  nonce TEXT PRIMARY KEY,
  request_id TEXT NOT NULL,
  taken_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Logs in the order in which they opened. A log's name is opaque.
CREATE TABLE anchor_logs (
  log_no INTEGER PRIMARY KEY,
  log TEXT NOT NULL UNIQUE
) STRICT;

-- The object of a log decides its order; these rows follow it and serve queries.
CREATE TABLE anchors (
  log_no INTEGER NOT NULL,
  idx INTEGER NOT NULL,
  anchor_id TEXT NOT NULL UNIQUE,
  owner TEXT NOT NULL,
  root TEXT NOT NULL,
  epoch TEXT NOT NULL,
  created_at TEXT NOT NULL,
  leaf TEXT NOT NULL,
  -- What the publications of the anchor come to, in the transaction that takes a report.
  status TEXT NOT NULL DEFAULT 'submitted' CHECK (status IN ('submitted', 'published', 'confirmed')),
  -- Length of the attestations as JSON, so that a page knows its size before it reads them.
  attested_bytes INTEGER NOT NULL,
  PRIMARY KEY (log_no, idx)
) STRICT;
CREATE INDEX anchors_by_owner ON anchors (owner, log_no, idx);
CREATE INDEX anchors_by_status ON anchors (status, log_no, idx);
CREATE INDEX anchors_by_owner_and_status ON anchors (owner, status, log_no, idx);

-- A key takes 2.6 kB and signs many times, so it is stored once.
CREATE TABLE attestation_keys (
  user_id TEXT PRIMARY KEY,
  public_key TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE anchor_attestations (
  log_no INTEGER NOT NULL,
  idx INTEGER NOT NULL,
  position INTEGER NOT NULL,
  user_id TEXT NOT NULL,
  signature TEXT NOT NULL,
  signed_at TEXT,
  PRIMARY KEY (log_no, idx, position)
) STRICT, WITHOUT ROWID;

-- The publisher's reports about anchors.
CREATE TABLE anchor_publications (
  anchor_id TEXT NOT NULL,
  chain TEXT NOT NULL,
  tx TEXT NOT NULL,
  state TEXT NOT NULL,
  reported_at INTEGER NOT NULL,
  -- Whether the event feed of the owner has it.
  told INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (anchor_id, chain, tx)
) STRICT, WITHOUT ROWID;
CREATE INDEX anchor_publications_untold ON anchor_publications (anchor_id) WHERE told = 0;
CREATE TABLE anchor_publication_nonces (
  nonce TEXT PRIMARY KEY,
  request_id TEXT NOT NULL,
  taken_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

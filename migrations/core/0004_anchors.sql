-- Logs in the order in which they opened. A log's name is opaque.
CREATE TABLE anchor_logs (
  log_no INTEGER PRIMARY KEY,
  log TEXT NOT NULL UNIQUE
) STRICT;

-- An index of what the logs have, rebuilt from R2 by an operator. The object of a log decides its order. Identifiers and
-- hashes are bytes: an anchor takes less than 300 with its index entries.
CREATE TABLE anchors (
  log_no INTEGER NOT NULL,
  idx INTEGER NOT NULL,
  anchor_id BLOB NOT NULL UNIQUE,
  -- The 24 bytes of the DID.
  owner BLOB NOT NULL,
  root BLOB NOT NULL,
  epoch TEXT NOT NULL,
  -- Epoch milliseconds.
  created_at INTEGER NOT NULL,
  -- What its publications come to: 0 submitted, 1 published, 2 confirmed.
  status INTEGER NOT NULL DEFAULT 0 CHECK (status IN (0, 1, 2)),
  -- Length of the attestations as JSON, so that a page knows its size before it reads them.
  attested_bytes INTEGER NOT NULL,
  -- 16 bytes that hide in the log what the leaf commits to.
  salt BLOB NOT NULL,
  PRIMARY KEY (log_no, idx)
) STRICT, WITHOUT ROWID;
-- Eight bytes tell owners and roots apart, unless somebody chooses them: a page reads as many rows whatever they are.
CREATE INDEX anchors_by_owner ON anchors (substr(owner, 1, 8), log_no, idx);
CREATE INDEX anchors_by_status ON anchors (status, log_no, idx);
CREATE INDEX anchors_by_owner_and_status ON anchors (substr(owner, 1, 8), status, log_no, idx);
CREATE INDEX anchors_by_root ON anchors (substr(root, 1, 8), log_no, idx);

-- The publisher's reports about anchors.
CREATE TABLE anchor_publications (
  anchor_id BLOB NOT NULL,
  chain TEXT NOT NULL,
  tx TEXT NOT NULL,
  state TEXT NOT NULL,
  reported_at INTEGER NOT NULL,
  -- Whether the event feed of the owner has it.
  told INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (anchor_id, chain, tx)
) STRICT, WITHOUT ROWID;
CREATE INDEX anchor_publications_untold ON anchor_publications (anchor_id) WHERE told = 0;
-- Which request a report came with, while a second one could still be accepted.
CREATE TABLE anchor_publication_nonces (
  nonce TEXT PRIMARY KEY,
  request_id TEXT NOT NULL,
  taken_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Requests for an invitation. What a person wrote is in `sealed`, encrypted under INVITE_SEED, and `address_hash` is a keyed
-- hash of the mailbox. `sealed_code` has the code of an approval until it was mailed. The hourly sweep deletes a request at
-- `forget_at`, carries out decisions that were interrupted, and encrypts anew what is under an earlier seed.
CREATE TABLE invite_requests (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  address_hash TEXT NOT NULL UNIQUE,
  sealed TEXT NOT NULL,
  requested_at INTEGER NOT NULL,
  forget_at INTEGER NOT NULL,
  decision TEXT CHECK (decision IN ('approved', 'declined')),
  decided_at INTEGER,
  mails INTEGER NOT NULL DEFAULT 0,
  tier TEXT,
  days INTEGER,
  redeemable_until INTEGER,
  sealed_code TEXT,
  held_until INTEGER NOT NULL DEFAULT 0,
  done_at INTEGER
) STRICT;
CREATE INDEX invite_requests_by_end ON invite_requests (forget_at);
CREATE INDEX invite_requests_undone ON invite_requests (held_until) WHERE decision IS NOT NULL AND done_at IS NULL;

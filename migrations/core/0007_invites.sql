-- Invitation requests: an address and a message, which the hourly sweep deletes after 90 days.
CREATE TABLE invite_requests (
  email TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  reason TEXT NOT NULL,
  requested_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX invite_requests_by_age ON invite_requests (requested_at);

-- Invitation requests: an address and a message, which the hourly sweep deletes after 90 days.
CREATE TABLE invite_requests (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  email TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  reason TEXT NOT NULL,
  requested_at INTEGER NOT NULL
) STRICT;
CREATE INDEX invite_requests_by_age ON invite_requests (requested_at);

-- DIDs that their owners have registered for resolution. Keys are not here: they are read from core each time.
CREATE TABLE registrations (
  did TEXT PRIMARY KEY,
  scope TEXT NOT NULL,
  services TEXT NOT NULL,
  registered_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

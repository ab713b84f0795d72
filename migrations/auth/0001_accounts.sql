-- An account is a random name that credentials belong to. No user name, address or subject is stored in clear.
CREATE TABLE accounts (
  account_id TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL,
  -- How often it was recovered through its provider. A grant for recovery names the number, so one of them is used.
  recoveries INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- One password per account: the registration record of RFC 9807, under the keyed hash of the identifier.
CREATE TABLE opaque_records (
  identifier_hash TEXT PRIMARY KEY,
  account_id TEXT NOT NULL UNIQUE,
  record BLOB NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE passkeys (
  credential_id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  public_key BLOB NOT NULL,
  counter INTEGER NOT NULL,
  transports TEXT NOT NULL,
  label TEXT NOT NULL,
  is_backed_up INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  counter_went_back_at INTEGER,
  -- A secret that the passkey's PRF output encrypts, as JSON. It goes with the passkey.
  local_secret TEXT,
  local_secret_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX passkeys_of_an_account ON passkeys (account_id, created_at);

-- The account of a person at an identity provider, under the keyed hash of issuer and subject.
CREATE TABLE subjects (
  subject_hash TEXT PRIMARY KEY,
  account_id TEXT NOT NULL UNIQUE
) STRICT, WITHOUT ROWID;

-- Devices that have signed in with a password. A new one deletes expired ones, and the oldest beyond eight of its
-- account; a new password deletes all of its account. The owner can list and delete them by device_id.
CREATE TABLE known_devices (
  token_hash TEXT PRIMARY KEY,
  device_id TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL,
  label TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX known_devices_of_an_account ON known_devices (account_id, created_at);
CREATE INDEX known_devices_over ON known_devices (expires_at);

-- Sessions by the hash of their token. A new session deletes expired ones, and the oldest beyond eight. The owner can
-- list and delete them by session_id.
CREATE TABLE sessions (
  token_hash TEXT PRIMARY KEY,
  session_id TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL,
  method TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_of_an_account ON sessions (account_id, created_at);

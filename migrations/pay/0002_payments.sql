-- One attempt to pay for one offer. The offer is kept as it was when the attempt began. Without a key, which is null
-- then, no request finds the intent of another: nulls are distinct.
CREATE TABLE intents (
  id TEXT PRIMARY KEY,
  did TEXT NOT NULL,
  idempotency_key TEXT,
  sku TEXT NOT NULL,
  country TEXT,
  offer TEXT NOT NULL,
  provider TEXT NOT NULL,
  state TEXT NOT NULL,
  session_id TEXT,
  checkout_url TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  UNIQUE (did, idempotency_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX intents_open ON intents (did, expires_at) WHERE state = 'open';

-- Grants of a tier for a time. `as_of` orders the provider's events about a grant; `version` is for compare-and-swap.
CREATE TABLE grants (
  id TEXT PRIMARY KEY,
  did TEXT NOT NULL,
  tier TEXT NOT NULL,
  source TEXT NOT NULL,
  status TEXT NOT NULL,
  period_start INTEGER NOT NULL,
  period_end INTEGER NOT NULL,
  renews INTEGER NOT NULL,
  grace_until INTEGER,
  next_tier TEXT,
  subscription_id TEXT,
  as_of INTEGER NOT NULL,
  version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX grants_by_owner ON grants (did, period_end);

-- Payments that were refunded or disputed. `reversed` is null again once the payment stands.
CREATE TABLE reversals (
  payment_id TEXT PRIMARY KEY,
  grant_id TEXT NOT NULL,
  covers_from INTEGER NOT NULL,
  covers_until INTEGER NOT NULL,
  reversed TEXT,
  version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX reversals_in_force ON reversals (grant_id) WHERE reversed IS NOT NULL;

-- Each of the provider's events once. `claim` identifies the attempt that processed it.
CREATE TABLE provider_events (
  event_id TEXT PRIMARY KEY,
  type TEXT NOT NULL,
  claim TEXT NOT NULL,
  applied_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What the event feeds of owners do not have yet. `id` says what happened, so that it is written once.
CREATE TABLE owner_events (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  did TEXT NOT NULL,
  kind TEXT NOT NULL,
  ref TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  recorded_at INTEGER NOT NULL DEFAULT (unixepoch() * 1000)
) STRICT;
CREATE INDEX owner_events_due ON owner_events (due_at, seq);

-- Events with our metadata that were not understood, until they are applied or dismissed.
CREATE TABLE dead_letters (
  position INTEGER PRIMARY KEY,
  event_id TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL,
  occurred_at INTEGER NOT NULL,
  reason TEXT NOT NULL,
  payload TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL
) STRICT;

-- Up to when the provider's list of events was compared. One row.
CREATE TABLE reconciliation (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  compared_until INTEGER NOT NULL
) STRICT;

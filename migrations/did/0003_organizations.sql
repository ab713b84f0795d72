-- The binding log of each organization: signed events, each with the hash of the previous one. Rows are never changed or
-- deleted, and org_members can be rebuilt from them.
CREATE TABLE org_events (
  org TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  hash TEXT NOT NULL,
  member TEXT NOT NULL,
  kind TEXT NOT NULL,
  root_epoch INTEGER NOT NULL,
  event TEXT NOT NULL,
  accepted_at INTEGER NOT NULL,
  PRIMARY KEY (org, sequence)
) STRICT;

-- The state of each member as of its newest event.
CREATE TABLE org_members (
  org TEXT NOT NULL,
  member TEXT NOT NULL,
  provider TEXT NOT NULL,
  subject_hash TEXT NOT NULL,
  role TEXT NOT NULL,
  permissions TEXT NOT NULL,
  expires_at INTEGER,
  is_suspended INTEGER NOT NULL,
  suspended_from INTEGER,
  suspended_until INTEGER,
  is_revoked INTEGER NOT NULL,
  is_accepted INTEGER NOT NULL,
  acceptance_issued_at INTEGER,
  sequence INTEGER NOT NULL,
  hash TEXT NOT NULL,
  kind TEXT NOT NULL,
  accepted_at INTEGER NOT NULL,
  PRIMARY KEY (org, member)
) STRICT, WITHOUT ROWID;

-- Serves a member's list of its own bindings across organizations.
CREATE INDEX org_members_by_member ON org_members (member, org);

-- One subject of a provider stands for one member of an organization.
CREATE UNIQUE INDEX org_members_by_subject ON org_members (org, provider, subject_hash) WHERE is_revoked = 0;

-- WebAuthn level 3, section 6.1.3: whether a passkey may be synchronized never changes.
ALTER TABLE passkeys ADD COLUMN is_backup_eligible INTEGER NOT NULL DEFAULT 0;

-- Each new session drops a few that are over, of whatever account.
CREATE INDEX sessions_over ON sessions (expires_at);

-- WebAuthn Level 3, section 6.1.3: a passkey's backup eligibility never changes.
ALTER TABLE passkeys ADD COLUMN is_backup_eligible INTEGER NOT NULL DEFAULT 0;

-- Each new session deletes a few expired ones, of any account.
CREATE INDEX sessions_over ON sessions (expires_at);

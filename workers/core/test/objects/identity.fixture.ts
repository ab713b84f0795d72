/** Rows of an identity at version 1: those of an organization with one rotation, one device and one block. */
export const IDENTITY_ROWS = `
  INSERT INTO identity (id, did, scope, created_at) VALUES (0, 'did:of:the:test', 'scope', 10);
  INSERT INTO keys (epoch, user_id, public_key, activated_at) VALUES (0, 'first', x'01', 10), (1, 'second', x'02', 20);
  INSERT INTO kept (kind, bytes, rows) VALUES ('chain', 8192, 1), ('pins', 5, 1), ('notes', 100, 10);
  INSERT INTO kept_items (kind, item, bytes, kept_at) VALUES ('pins', 'cid', 5, 1);
  INSERT INTO leases (kind, seq) VALUES ('notes', 3);
  INSERT INTO tiers (id, tier, until) VALUES (0, 'atelier', 4000000000000);
  INSERT INTO key_statements (epoch, issued_at, signed, accepted_at)
    VALUES (1, 25, '{"statement":{"issuedAt":25},"signatureB64u":"s"}', 26);
  INSERT INTO deactivations (id, signed, accepted_at) VALUES (0, '{}', 90);
  INSERT INTO registrations (id, services, registered_at, updated_at) VALUES (0, '[]', 30, 31);
  INSERT INTO hold_marks (placed_by, placed_at) VALUES ('root', 40);
  INSERT INTO holds (id, placed_at) VALUES (0, 40);
  INSERT INTO blocks (idx, hash, version, timestamp, previous_hash, data_hash, metadata_hash, signature, content_type,
    key_epoch, accepted_at) VALUES (0, 'block', 4, '2026-01-01T00:00:00.000Z', '0', 'd', 'm', x'03', NULL, 0, 10);
  INSERT INTO payloads (idx, bytes, r2_key) VALUES (0, x'04', NULL);
  INSERT INTO block_index (hash, idx, content_type) VALUES ('block', 0, NULL);
  INSERT INTO rebuild (id, done, total) VALUES (0, 0, 1);
  INSERT INTO rotations (position, rotation_id, kind, status, version, epoch, new_user_id, request, requested_at, deadline,
    contested_at, required_cosigners, eligible, witnesses, approval, activated_at)
    VALUES (1, 'rotation', 'rotation', 'active', 2, 1, 'second', '{"statement":{}}', 15, 18, NULL, 0, '[]', '[]', NULL, 20);
  INSERT INTO rotation_signatures (position, rotation_id, kind, signer, signed, accepted_at)
    VALUES (1, 'rotation', 'cosign', 'device', '{"signatureB64u":"c"}', 16);
  INSERT INTO inception_events (sequence, hash, event, accepted_at)
    VALUES (1, 'h1', '{"statement":{"type":"svc/org-inception/v1","sequence":1}}', 11),
           (2, 'h2', '{"statement":{"type":"svc/device-attest/v1","sequence":2}}', 12),
           (3, 'h3', '{"statement":{"type":"svc/org-officers/v1","sequence":3,"rosterVersion":2}}', 13);
  INSERT INTO devices (device_id, public_key, root_epoch, origin, capabilities, expires_at, status, attested_by, added_at)
    VALUES ('device', x'05', 1, 'o', '[]', NULL, 'active', 2, 12);
  INSERT INTO device_spans (device_id, root_epoch, since, until, expires_at, cosigns)
    VALUES ('device', 1, 12, NULL, NULL, 1);
  INSERT INTO root_updates (seq, id, item, attempts, due_at)
    VALUES (1, 'hash', 'deactivation', 1, 4000000000000);
  INSERT INTO events (sequence, kind, ref, at, previous_hash) VALUES (7, 'hold.placed', 'root', 4000000000000, 'before');
  INSERT INTO event_head (id, sequence, hash) VALUES (0, 7, 'head');
  INSERT INTO rosters (version, officers, quorum) VALUES (1, '["a"]', 1), (2, '["a","b"]', 2);
  INSERT INTO nonces (signer, nonce, keep_until) VALUES ('second', 'spent', 4000000000000);`

/** Rows that version 3 adds. */
export const TICKET_ROWS = `
  INSERT INTO event_tickets (position, hash, signer, user_id, device_id, expires_at)
    VALUES (1, 'ticket', 'dev:device', 'second', 'device', 4000000000000);`

/** Rows that version 4 adds. */
export const HOOK_ROWS = `
  INSERT INTO event_hooks (hook_id, url, status, created_at, delivered, due_at, attempts)
    VALUES ('hook', 'https://hooks.example.org/', 'active', 1, 7, NULL, 0);
  INSERT INTO event_hook_day (id, day, sent) VALUES (0, 1, 2);`

export const ROSTER_EVENT_ROWS = `
  INSERT INTO roster_events (version, sequence, accepted_at) VALUES (1, 1, 11), (2, 3, 13);`

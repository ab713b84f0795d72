/** Every group of tables, at its newest version. */
export const IDENTITY_GROUPS = {
  payloads: 1,
  block_index: 1,
  rotations: 1,
  root_updates: 1,
  inception: 1,
  devices: 1,
  rosters: 1,
  hold_marks: 1,
  events: 1,
  event_tickets: 1,
  event_hooks: 1,
  kept_items: 1,
  anchors: 1,
}

/** As long as a hash, so that a block is looked up by it. */
export const BLOCK_HASH = 'b1'.repeat(48)

/** An identity at version 1 that has done nothing yet. */
export const NEW_IDENTITY_ROWS = `
  INSERT INTO facts (name, value) VALUES
    ('identity', '{"did":"did:of:the:test","scope":"scope","createdAt":10}'),
    ('genesisCommitment', '{"next":["first"],"replaceable":false}'),
    ('commitment', '{"next":["second","third"],"replaceable":true}'),
    ('kept', '{"chain":{"bytes":8192,"rows":1}}');
  INSERT INTO keys (epoch, user_id, public_key, activated_at) VALUES (0, 'first', x'01', 10);
  INSERT INTO blocks (idx, hash, version, timestamp, previous_hash, data_hash, metadata_hash, signature, content_type,
    key_epoch, accepted_at) VALUES (0, '${BLOCK_HASH}', 4, '2026-01-01T00:00:00.000Z', '0', 'd', 'm', x'03', NULL, 0, 10);`

/** The same with every group: an organization with one rotation, one device and one block. */
export const IDENTITY_ROWS = `${NEW_IDENTITY_ROWS}
  UPDATE facts SET value = '{"chain":{"bytes":8192,"rows":1},"pins":{"bytes":5,"rows":1},"notes":{"bytes":100,"rows":10}}'
    WHERE name = 'kept';
  INSERT INTO facts (name, value) VALUES
    ('leases', '{"notes":3}'),
    ('tier', '{"tier":"atelier","until":4000000000000}'),
    ('keyAgreement', '{"epoch":1,"signed":{"statement":{"issuedAt":25},"signatureB64u":"s"},"acceptedAt":26}'),
    ('deactivation', '{"signed":{},"acceptedAt":90}'),
    ('registration', '{"services":[],"registeredAt":30,"updatedAt":31}'),
    ('hold', '{"placedAt":40}'),
    ('rebuild', '{"done":0,"total":1}'),
    ('eventHead', '{"sequence":7,"hash":"head","kinds":{"rotation":0,"deactivation":0,"device":2,"hold":3}}'),
    ('hookDay', '{"day":1,"sent":[2,0,0,0,0]}'),
    ('noncesForgotten', '3600000');
  INSERT INTO keys (epoch, user_id, public_key, activated_at) VALUES (1, 'second', x'02', 20);
  INSERT INTO kept_items (kind, item, bytes, kept_at) VALUES ('pins', 'cid', 5, 1);
  INSERT INTO anchors (seq, anchor_id, root, epoch, created_at, attestations, salt, log, idx)
    VALUES (1, 'anchor', 'root', 'e', '2026-01-01T00:00:00.000Z', '[]', 'salt', 'log', 3);
  INSERT INTO undelivered_anchors (seq, id, item, attempts, due_at) VALUES (1, 'anchor', '', 1, 4000000000000);
  INSERT INTO hold_marks (placed_by, placed_at) VALUES ('root', 40);
  INSERT INTO block_index (hash, idx, content_type) VALUES ('${BLOCK_HASH}', 0, NULL);
  INSERT INTO payloads (idx, bytes, r2_key) VALUES (0, x'04', NULL);
  INSERT INTO rotations (position, rotation_id, kind, status, basis, version, epoch, new_user_id, request, requested_at, deadline,
    contested_at, required_cosigners, eligible, witnesses, approval, activated_at)
    VALUES (1, 'rotation', 'rotation', 'active', 'root', 2, 1, 'second', '{"statement":{}}', 15, 18, NULL, 0, '[]', '[]', NULL, 20);
  INSERT INTO rotation_signatures (position, rotation_id, kind, signer, signed, accepted_at)
    VALUES (1, 'rotation', 'cosign', 'device', '{"signatureB64u":"c"}', 16);
  INSERT INTO inception_events (sequence, hash, event, accepted_at)
    VALUES (1, 'h1', '{"statement":{"type":"svc/org-inception/v1","sequence":1}}', 11),
           (2, 'h2', '{"statement":{"type":"svc/device-attest/v1","sequence":2}}', 12),
           (3, 'h3', '{"statement":{"type":"svc/org-officers/v1","sequence":3,"rosterVersion":2}}', 13);
  INSERT INTO devices (device_id, public_key, root_epoch, origin, capabilities, expires_at, status, attested_by, changed_by,
      added_at)
    VALUES ('device', x'05', 1, 'o', '[]', NULL, 'active', 2, 2, 12);
  INSERT INTO device_spans (device_id, root_epoch, since, until, expires_at, cosigns, wait)
    VALUES ('device', 1, 12, NULL, NULL, 1, 'standing');
  INSERT INTO root_updates (seq, id, item, attempts, due_at)
    VALUES (1, 'hash', 'deactivation', 1, 4000000000000);
  INSERT INTO events (sequence, nth, kind, family, ref, at, previous_hash)
    VALUES (7, 3, 'hold.placed', 'hold', 'root', 4000000000000, 'before');
  INSERT INTO event_tickets (position, hash, signer, user_id, device_id, expires_at)
    VALUES (1, 'ticket', 'dev:device', 'second', 'device', 4000000000000);
  INSERT INTO event_hooks (hook_id, url, status, created_at, delivered, due_at, attempts, active_since, place)
    VALUES ('hook', 'https://hooks.example.org/', 'active', 1, 7, NULL, 0, 2, 0);
  INSERT INTO rosters (version, officers, quorum, sequence, accepted_at) VALUES (1, '["a"]', 1, 1, 11), (2, '["a","b"]', 2, 3, 13);
  CREATE TABLE nonces_1111111 (name BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
  INSERT INTO nonces_1111111 (name) VALUES (x'c3d4d4fcc900928cbb4f4477969d3662');`

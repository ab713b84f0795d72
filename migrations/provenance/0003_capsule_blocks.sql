-- The block of the owner's chain that carries the hash of a capsule, if registrations are bound to chains.
ALTER TABLE capsules ADD COLUMN block_index TEXT;
ALTER TABLE capsules ADD COLUMN block_hash TEXT;
ALTER TABLE capsules ADD COLUMN block_accepted_at INTEGER;

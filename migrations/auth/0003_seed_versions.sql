-- The version of OPAQUE_SERVER_SEED that a hash and a record were made with.
ALTER TABLE opaque_records ADD COLUMN seed_version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE subjects ADD COLUMN seed_version INTEGER NOT NULL DEFAULT 1;

-- A login looks for the identifier among the records of each version.
CREATE INDEX opaque_records_of_a_seed ON opaque_records (seed_version, identifier_hash);

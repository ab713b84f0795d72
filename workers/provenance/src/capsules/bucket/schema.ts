import type { Schema } from '@svc/objects'
import { RECORD_FACTS, type RecordPlan } from '@svc/objects/records'

export const CAPSULE_BUCKET: Schema = {
  name: 'capsule-bucket',
  facts: ['revision', ...RECORD_FACTS],
  steps: [
    {
      name: 'capsules, positions, takedowns, loose bodies, and what is to be told and removed',
      sql: `
        -- Registered capsules. position counts the registrations of one asset, as they were completed. The block is the one
        -- of the owner's chain that carries the hash of the capsule, if registrations are bound to chains.
        CREATE TABLE capsules (
          asset_id TEXT NOT NULL, did TEXT NOT NULL, kind TEXT NOT NULL, capsule_hash TEXT NOT NULL, body_key TEXT NOT NULL,
          position INTEGER NOT NULL, registered_at INTEGER NOT NULL,
          block_index TEXT, block_hash TEXT, block_accepted_at INTEGER, PRIMARY KEY (asset_id, did)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX capsules_by_position ON capsules (asset_id, position);

        -- The last position of an asset, where a registration was deleted: a position is not used again.
        CREATE TABLE positions (asset_id TEXT PRIMARY KEY, last INTEGER NOT NULL) STRICT, WITHOUT ROWID;

        -- Assets that the operator took down, so that they cannot be registered again.
        CREATE TABLE takedowns (asset_id TEXT PRIMARY KEY, reason TEXT NOT NULL) STRICT, WITHOUT ROWID;

        -- Bodies in R2 that no row of capsules names: not yet, or not any more. A condemned one is never named again.
        CREATE TABLE loose (
          key TEXT PRIMARY KEY, asset_id TEXT NOT NULL, is_condemned INTEGER NOT NULL, attempts INTEGER NOT NULL,
          due_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX loose_by_due ON loose (due_at);
        CREATE INDEX loose_by_asset ON loose (asset_id) WHERE is_condemned = 1;

        -- Owners whose lists do not have the newest state of an asset yet. The key of the body names the reserved room.
        CREATE TABLE untold (
          asset_id TEXT NOT NULL, did TEXT NOT NULL, revision INTEGER NOT NULL, is_held INTEGER NOT NULL,
          body_key TEXT NOT NULL, attempts INTEGER NOT NULL, due_at INTEGER NOT NULL, PRIMARY KEY (asset_id, did)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX untold_by_due ON untold (due_at);

        -- Deleted registrations whose vectors are still to be deleted, up to this position. Done twice: a write that was
        -- under way may come after the first time.
        CREATE TABLE vector_removals (
          asset_id TEXT NOT NULL, did TEXT NOT NULL, position INTEGER NOT NULL, is_repeat INTEGER NOT NULL,
          attempts INTEGER NOT NULL, due_at INTEGER NOT NULL, PRIMARY KEY (asset_id, did)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX vector_removals_by_due ON vector_removals (due_at);`,
    },
  ],
}

/** What is recorded of a bucket of capsules. Their bodies are in object storage. */
export const BUCKET_RECORDS: RecordPlan = {
  keyed: ['capsules', 'positions', 'takedowns'],
  erased: ['capsules', 'positions', 'takedowns', 'vector_removals'],
  // They name rows of `capsules`, and are deleted before the next base.
  lasting: ['loose', 'untold'],
  owners: { capsules: 'did', untold: 'did', vector_removals: 'did' },
}

import type { Schema } from '@svc/objects'
import { RECORD_FACTS, type RecordPlan } from '@svc/objects/records'

export const CAPSULE_OWNER: Schema = {
  name: 'capsule-owner',
  facts: ['kept', ...RECORD_FACTS],
  steps: [
    {
      name: 'held assets and reserved room',
      sql: `
        -- Assets that the owner has registered. One whose registration is deleted stays for a day, so that older news of it
        -- changes nothing.
        CREATE TABLE held (
          asset_id TEXT PRIMARY KEY, revision INTEGER NOT NULL, is_held INTEGER NOT NULL, told_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX held_gone ON held (told_at) WHERE is_held = 0;

        -- Room for registrations that are under way, each named by the key of its body.
        CREATE TABLE reserved (id TEXT PRIMARY KEY, asset_id TEXT NOT NULL, until INTEGER NOT NULL) STRICT, WITHOUT ROWID;`,
    },
  ],
}

/** What is recorded of the list of one owner. */
export const OWNER_RECORDS: RecordPlan = {
  keyed: ['held'],
  erased: ['held'],
  lasting: [],
  // Room for registrations that are under way, which ended with the object.
  leftOut: ['reserved'],
}

import type { Schema } from '@svc/objects'
import { RECORD_FACTS, type RecordPlan } from '@svc/objects/records'

export const CONSENT_STORE: Schema = {
  name: 'consent-fixed-store',
  steps: [
    {
      name: 'records, acts, signatures, keys, claims, what is archived and what creators are to be told',
      sql: `
        -- How many segments of signatures of a bucket are in the archive.
        CREATE TABLE archived (bucket INTEGER PRIMARY KEY, segments INTEGER NOT NULL) STRICT;

        -- One row per identifier that was ever declared, found by its hash. content_hash is the identifier itself, which
        -- lists need, and NULL while nothing is declared or claimed. A revoked record keeps its row, so that its first
        -- publisher keeps it and its signed acts stay spent. creator_did is NULL for ownerless records, which nobody can
        -- change; creator_hash stands for it in snapshots. held_from
        -- is the version at which its creator got it by a settlement, and 0 for the first publisher; created_at is when the
        -- first publisher declared it. revision counts every change of the record and of the claims to it.
        CREATE TABLE records (
          id INTEGER PRIMARY KEY, bucket INTEGER NOT NULL, identifier_hash TEXT NOT NULL, content_hash TEXT,
          creator_did TEXT, creator_hash TEXT, preferences TEXT NOT NULL, status TEXT NOT NULL CHECK (status IN ('published', 'revoked')),
          version INTEGER NOT NULL, held_from INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL,
          updated_at INTEGER NOT NULL, revision INTEGER NOT NULL DEFAULT 1,
          CHECK ((creator_did IS NULL) = (creator_hash IS NULL))
        ) STRICT;
        CREATE UNIQUE INDEX records_by_bucket ON records (bucket, identifier_hash);

        -- Every key that has signed, stored once: a key takes 2 kB.
        CREATE TABLE keys (
          id INTEGER PRIMARY KEY, user_id TEXT NOT NULL UNIQUE, public_key BLOB NOT NULL
        ) STRICT;

        -- The signed acts, in order. preferences are as signed and NULL for a deletion; state is what is declared
        -- afterwards and NULL if nothing is. act_hash identifies the signature. A settlement is an act of the operator: its
        -- statement without the identifier is in settlement, and previous_creator_did is whose acts came before it, with
        -- what stands for them in snapshots. A signature is in its own
        -- table until it is archived, and place then says where.
        CREATE TABLE acts (
          id INTEGER PRIMARY KEY, record INTEGER NOT NULL, version INTEGER NOT NULL, act_hash BLOB NOT NULL,
          action TEXT NOT NULL, preferences TEXT, state TEXT, key INTEGER NOT NULL, signer TEXT NOT NULL,
          recorded_at INTEGER NOT NULL, settlement TEXT, previous_creator_did TEXT, previous_creator_hash TEXT, place INTEGER,
          CHECK ((action = 'settle') = (settlement IS NOT NULL)),
          CHECK ((action = 'settle') = (previous_creator_did IS NOT NULL)),
          CHECK ((action = 'settle') = (previous_creator_hash IS NOT NULL))
        ) STRICT;
        CREATE UNIQUE INDEX acts_by_version ON acts (record, version);
        CREATE UNIQUE INDEX acts_by_hash ON acts (record, act_hash);
        CREATE TABLE signatures (act INTEGER PRIMARY KEY, bucket INTEGER NOT NULL, signature BLOB NOT NULL) STRICT;
        CREATE INDEX signatures_by_bucket ON signatures (bucket, act);

        -- Competing claims to identifiers that another creator holds, one for each claimant; those of the newest claimants
        -- are kept. act_hash is NULL, and so is what was signed, once the claim is withdrawn or its claimant got the
        -- identifier. spent are the hashes of all acts of the claimant here, a JSON array: none of them counts again.
        CREATE TABLE claims (
          id INTEGER PRIMARY KEY, record INTEGER NOT NULL, creator_did TEXT NOT NULL, act_hash TEXT, preferences TEXT,
          key INTEGER, signature BLOB, signer TEXT, recorded_at INTEGER NOT NULL, settled_at INTEGER, spent TEXT NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX claims_by_record ON claims (record, creator_did);
        CREATE INDEX claims_open ON claims (record) WHERE act_hash IS NOT NULL AND settled_at IS NULL;

        -- Acts of creators who have lost a record by a settlement.
        CREATE TABLE former_acts (
          record INTEGER NOT NULL, creator_did TEXT NOT NULL, acts INTEGER NOT NULL, PRIMARY KEY (record, creator_did)
        ) STRICT, WITHOUT ROWID;

        -- Whose lists do not have the newest revision of a record yet.
        CREATE TABLE untold (
          record INTEGER NOT NULL, creator_did TEXT NOT NULL, attempts INTEGER NOT NULL, due_at INTEGER NOT NULL,
          PRIMARY KEY (record, creator_did)
        ) STRICT, WITHOUT ROWID;`,
    },
  ],
  facts: RECORD_FACTS,
}

/** Acts before a settlement are of the creator who lost the record by it. */
const OWNER_OF_ACT = `coalesce(
  (SELECT next.previous_creator_did FROM acts AS next
    WHERE next.record = acts.record AND next.version >= acts.version AND next.action = 'settle' ORDER BY next.version LIMIT 1),
  (SELECT creator_did FROM records WHERE records.id = acts.record))`

/** What is recorded of a store. */
export const STORE_RECORDS: RecordPlan = {
  appended: { keys: { key: 'id' } },
  keyed: ['records', 'acts', 'signatures', 'claims', 'former_acts'],
  erased: ['records', 'acts', 'claims'],
  // Signatures move to the archive; creators that are due a notification have or had a record.
  lasting: ['archived', 'keys', 'signatures', 'former_acts', 'untold'],
  owners: {
    records: 'creator_did',
    acts: OWNER_OF_ACT,
    signatures: `(SELECT ${OWNER_OF_ACT} FROM acts WHERE acts.id = signatures.act)`,
    claims: 'creator_did',
    former_acts: 'creator_did',
    untold: 'creator_did',
  },
}

import { REBUILT_NONCE_FACTS } from '@svc/assertion/worker/nonce-store'
import type { Schema } from '@svc/objects'
import { RECORD_FACTS, type RecordPlan } from '@svc/objects/records'
import { ANCHORS } from '../anchors/owned.ts'
import { BLOCK_INDEX, PAYLOADS } from '../chain/store.ts'
import { HOOKS } from '../events/hook-table.ts'
import { EVENTS } from '../events/store.ts'
import { TICKETS } from '../events/tickets.ts'
import { DEVICES } from '../inception/device-store.ts'
import { INCEPTION, ROSTERS } from '../inception/store.ts'
import { ROTATIONS } from '../rotation/store.ts'
import { ROOT_UPDATES } from '../rotation/updates/outbox.ts'
import { KEPT_ITEMS } from '../storage/store.ts'
import { HOLD_MARKS } from './store.ts'

/**
 * Keys, statements, chain, rotations, devices and nonces of an identity, in one database. Most identities have a few keys
 * and blocks and nothing else, and each table and each index takes a page: a new one has two tables beside its facts.
 */
export const IDENTITY: Schema = {
  name: 'identity',
  steps: [
    {
      // An index of `user_id` would take another page; an identity has a key for each rotation.
      name: 'keys and blocks',
      sql: `
        CREATE TABLE keys (
          epoch INTEGER PRIMARY KEY, user_id TEXT NOT NULL, public_key BLOB NOT NULL, activated_at INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE blocks (
          idx INTEGER PRIMARY KEY, hash TEXT NOT NULL, version INTEGER NOT NULL, timestamp TEXT NOT NULL,
          previous_hash TEXT NOT NULL, data_hash TEXT NOT NULL, metadata_hash TEXT NOT NULL, signature BLOB NOT NULL,
          content_type TEXT, key_epoch INTEGER NOT NULL, accepted_at INTEGER NOT NULL
        ) STRICT;`,
    },
  ],
  groups: [
    PAYLOADS,
    BLOCK_INDEX,
    ROTATIONS,
    ROOT_UPDATES,
    INCEPTION,
    DEVICES,
    ROSTERS,
    HOLD_MARKS,
    EVENTS,
    TICKETS,
    HOOKS,
    KEPT_ITEMS,
    ANCHORS,
  ],
  facts: [
    'identity',
    'genesisCommitment',
    'commitment',
    'keyAgreement',
    'registration',
    'deactivation',
    'hold',
    'reservedKeys',
    'watchTokens',
    'rebuild',
    'eventHead',
    'hookDay',
    'kept',
    'leases',
    'tier',
    ...REBUILT_NONCE_FACTS,
    ...RECORD_FACTS,
  ],
}

/** The name that a key of another identity would have as a DID: reserved for that key permanently. */
export const ALIAS: Schema = {
  name: 'alias',
  steps: [{ name: 'a fact', run: () => {} }],
  facts: ['alias', ...RECORD_FACTS],
}

/** Both kinds of object have one plan: tables that an object does not have are not looked for. */
export const IDENTITY_RECORDS: RecordPlan = {
  appended: {
    keys: { key: 'epoch' },
    blocks: { key: 'idx' },
    payloads: { key: 'idx' },
    inception_events: { key: 'sequence' },
    rosters: { key: 'version' },
    events: { key: 'sequence' },
    // One that the log has not taken yet has no place.
    anchors: {
      key: 'seq',
      unsettled: 'SELECT min(anchors.seq) AS key FROM undelivered_anchors JOIN anchors ON anchor_id = id',
    },
  },
  // The index is made again from the blocks; a ticket is good for a minute.
  leftOut: ['block_index', 'event_tickets'],
  leftOutFacts: ['rebuild'],
  // Addresses of the owner, past notifications, names and requests.
  erased: ['event_hooks', 'events', 'kept_items', 'rotations', 'rotation_signatures'],
  erasedFacts: ['registration'],
  // Derived from the log, or waiting for another object.
  lasting: [
    'keys',
    'blocks',
    'payloads',
    'inception_events',
    'rosters',
    'anchors',
    'hold_marks',
    'devices',
    'device_spans',
    'root_updates',
    'undelivered_anchors',
  ],
}

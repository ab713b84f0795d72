import { env } from 'cloudflare:workers'
import { describeUpgrades, type SeededObject, seeded } from '@svc/objects/testing'
import { COUNTER_SEEDS } from '@svc/service/testing'
import * as worker from '../../src/index.ts'
import { NO_ROOM } from '../../src/storage/rules.ts'
import { BLOCK_HASH, IDENTITY_GROUPS, IDENTITY_ROWS, NEW_IDENTITY_ROWS } from './identity.fixture.ts'

const FAR_FUTURE = 4_000_000_000_000
const HASH = '11'.repeat(48)

const readIdentity: SeededObject<worker.IdentityObject>['read'] = async (identity) => ({
  record: await identity.read(),
  keys: (await identity.keyHistory(0))?.keys.map(({ epoch, userId }) => ({ epoch, userId })),
  genesis: (await identity.genesis())?.genesis.hash,
  block: (await identity.anchorFacts()).chain?.head.hash,
  anchor: await identity.anchor('anchor'),
  rosters: [
    await identity.roster({ version: 1, at: null }, false),
    await identity.roster({ version: null, at: null }, true),
  ].map((one) => one && { ...one.roster, since: one.since, until: one.until, held: one.held }),
  kept: await identity.kept(),
  isKnown: await identity.keep('did:of:the:test', { kind: 'pins', item: 'cid', bytes: 5 }),
  lease: await identity.lease('did:of:the:test', { kind: 'notes', seq: 3, needed: NO_ROOM, wanted: NO_ROOM }),
  replayed: await identity.consumeNonce('second', 'spent', FAR_FUTURE),
})
const identityRead = {
  record: {
    did: 'did:of:the:test',
    scope: 'scope',
    createdAt: 10,
    current: { epoch: 1, userId: 'second', publicKey: new Uint8Array([2]), activatedAt: 20 },
    commitment: { next: ['second', 'third'], replaceable: true },
    deactivatedAt: 90,
  },
  keys: [
    { epoch: 0, userId: 'first' },
    { epoch: 1, userId: 'second' },
  ],
  genesis: BLOCK_HASH,
  // It was deactivated.
  block: undefined,
  anchor: {
    anchorId: 'anchor',
    root: 'root',
    epoch: 'e',
    hashAlg: 'sha3-384',
    createdAt: '2026-01-01T00:00:00.000Z',
    attestations: [],
    salt: 'salt',
    status: 'submitted',
    owner: 'did:of:the:test',
    position: { log: 'log', index: 3 },
  },
  rosters: [
    { version: 1, quorum: 1, officers: ['a'], since: 11, until: 13, held: true },
    { version: 2, quorum: 2, officers: ['a', 'b'], since: 13, until: null, held: true },
  ],
  kept: {
    tier: 'atelier',
    byKind: {
      chain: { bytes: 8192, rows: 1 },
      devices: NO_ROOM,
      notes: { bytes: 100, rows: 10 },
      pins: { bytes: 5, rows: 1 },
      assets: NO_ROOM,
      anchors: NO_ROOM,
    },
  },
  isKnown: { ok: true, value: { isNew: false } },
  lease: { ok: true, value: { seq: 3, granted: null } },
  replayed: 'replay',
}
/** One that has made no group: everything is empty. */
const newIdentityRead = {
  ...identityRead,
  record: {
    ...identityRead.record,
    current: { epoch: 0, userId: 'first', publicKey: new Uint8Array([1]), activatedAt: 10 },
    deactivatedAt: null,
  },
  keys: [{ epoch: 0, userId: 'first' }],
  block: BLOCK_HASH,
  anchor: null,
  rosters: [null, null],
  kept: {
    tier: 'notes',
    byKind: { ...identityRead.kept.byKind, notes: NO_ROOM, pins: NO_ROOM },
  },
  isKnown: { ok: true, value: { isNew: true } },
  lease: { ok: true, value: { seq: 3, granted: NO_ROOM } },
  replayed: 'spent',
}

describeUpgrades(
  worker,
  {
    IdentityObject: seeded(env.IDENTITIES, [
      { schema: 'identity', version: 1, rows: NEW_IDENTITY_ROWS, read: readIdentity, expected: newIdentityRead },
      {
        schema: 'identity',
        version: 1,
        groups: IDENTITY_GROUPS,
        rows: IDENTITY_ROWS,
        read: readIdentity,
        expected: identityRead,
      },
      {
        schema: 'alias',
        version: 1,
        rows: `INSERT INTO facts (name, value) VALUES ('alias',
                 '{"kind":"root","userId":"user","did":"did:of:owner","scope":"scope","reservedAt":1}')`,
        read: async (alias) => [await alias.alias(), await alias.checkKey('user'), await alias.read()],
        expected: [
          { kind: 'root', userId: 'user', did: 'did:of:owner', scope: 'scope' },
          { ok: false, error: { reason: 'elsewhere', did: 'did:of:owner' } },
          null,
        ],
      },
    ]),
    NoteVaultObject: seeded(env.NOTE_VAULTS, [
      {
        schema: 'note-vault',
        version: 1,
        rows: `
          INSERT INTO notes (note_id, status, version, seq, record_hash, bytes, attachments, created_at, updated_at)
            VALUES ('note', 'stored', 1, 1, 'record', 4, 1, 10, 20);
          INSERT INTO versions (note_id, version, seq, record_hash, cipher_hash, bytes, key_id, operation, follows, record,
            accepted_at) VALUES ('note', 1, 0, 'record', 'cipher', 4, 'key', 'create', NULL, '{}', 10);
          INSERT INTO attachments (note_id, attachment_id, cipher_hash, bytes, seq, added_at)
            VALUES ('note', 'attachment', 'cipher', 4, 1, 20);
          INSERT INTO changes (seq, note_id, kind, version, attachment_id, record_hash, accepted_at)
            VALUES (0, 'note', 'version', 1, NULL, 'record', 10), (1, 'note', 'attachment', NULL, 'attachment', NULL, 20);
          INSERT INTO nodes (level, idx, hash) VALUES (0, 0, x'${HASH}'), (0, 1, x'${HASH}'), (1, 0, x'${HASH}');
          INSERT INTO statements (hash, keep_until) VALUES ('statement', ${FAR_FUTURE});
          INSERT INTO blobs (cipher_hash, r2_key, bytes, refs, unreferenced_since)
            VALUES ('cipher', 'notes/key', 4, 2, NULL);
          INSERT INTO condemned (r2_key) VALUES ('notes/condemned');
          INSERT INTO uploads (r2_key, bytes, started_at) VALUES ('notes/cut-off', 1, 1);
          UPDATE usage SET bytes = 4, objects = 1, refs = 2, records = 2;
          INSERT INTO lease (id, did, seq, bytes, rows, told) VALUES (0, 'did:of:owner', 2, 1000, 50, 1);`,
        read: async (vault) => ({
          usage: await vault.usage(),
          attachment: await vault.attachment('note', 'attachment'),
          collected: await vault.collect('did:of:owner', { hash: 'statement', keepUntil: FAR_FUTURE }),
        }),
        expected: {
          usage: { bytes: 4, objects: 1, refs: 2 },
          attachment: {
            ok: true,
            value: {
              attachmentId: 'attachment',
              cipherHash: 'cipher',
              bytes: 4,
              seq: 1,
              addedAt: 20,
              r2Key: 'notes/key',
            },
          },
          collected: { ok: false, error: { reason: 'statement_replay' } },
        },
      },
    ]),
    InboxObject: seeded(env.INBOXES, [
      {
        schema: 'inbox',
        version: 1,
        rows: `
          INSERT INTO requests (request_id, asset_id, kem_key_id, address, code_hash, sent_at, expires_at, sends, attempts)
            VALUES ('open', 'asset', 'kem', 'a@example.com', 'code', 1, ${FAR_FUTURE}, 1, 0);
          INSERT INTO admissions (request_id, until) VALUES ('open', 1);
          INSERT INTO messages (seq, msg_id, request_id, asset_id, envelope, received_at, read_at)
            VALUES (1, 'message', 'delivered', 'asset', '{"ciphertextB64u":"c"}', 5, NULL);
          INSERT INTO unreported (seq, id, item, attempts, due_at)
            VALUES (1, 'message', 'did:of:owner', 0, ${FAR_FUTURE});
          INSERT INTO settings (id, accepts_from) VALUES (0, 'contacts');`,
        read: async (inbox) => [
          await inbox.settings(),
          await inbox.list(100, 10),
          (await inbox.resend('open', 'other')).ok,
        ],
        expected: [
          { acceptsFrom: 'contacts' },
          {
            messages: [
              {
                msgId: 'message',
                requestId: 'delivered',
                assetId: 'asset',
                envelope: { ciphertextB64u: 'c' },
                receivedAt: 5,
                readAt: null,
              },
            ],
            next: null,
            total: 1,
            unread: 1,
          },
          true,
        ],
      },
    ]),
    RendezvousObject: seeded(env.RENDEZVOUS, [
      {
        schema: 'offer',
        version: 1,
        rows: `INSERT INTO offer (id, flow, did, token_hash, status, expires_at, wrong_tokens, request, result)
                 VALUES (0, 'pairing', 'did:of:owner', 'token', 'delivered', ${FAR_FUTURE}, 2, '{}', 'sealed')`,
        read: async (offer) => [await offer.state('pairing', 'did:of:owner'), await offer.consume('pairing', 'token')],
        expected: [
          {
            ok: true,
            value: {
              flow: 'pairing',
              did: 'did:of:owner',
              tokenHash: 'token',
              proof: null,
              status: 'delivered',
              expiresAt: FAR_FUTURE,
              wrongTokens: 2,
              request: {},
            },
          },
          { ok: true, value: 'sealed' },
        ],
      },
    ]),
    AnchorLogObject: seeded(env.ANCHOR_LOG, [
      {
        schema: 'log',
        version: 1,
        rows: `
          INSERT INTO log (id, name, key_version, opened_at) VALUES (0, 'log', 2, 7);
          INSERT INTO head (id, batch, size, root, edge, tail) VALUES (0, 1, 1, '${HASH}', x'${HASH}', 'entry');
          INSERT INTO periods (period, began_at, first_batch, first_index, state) VALUES (7, 1, 1, 0, 'dropped');
          INSERT INTO unacknowledged (idx, leaf_id, known_at, asked_at) VALUES (0, 'leaf', NULL, 4000000000000);
          INSERT INTO retired (size, next, since) VALUES (0, 1, 4000000000000);
          INSERT INTO cosignatures (witness, size, signed) VALUES ('witness', 1, '{"statement":{"size":1}}');`,
        read: async (log) => {
          // Its object starts only beside the head that it has.
          await env.BLOBS.put('log-heads/log/1', '')
          await env.BLOBS.put('logs/log/opening', JSON.stringify({ entry: '{}', keyVersion: 2 }))
          const { frontier, ...head } = await log.head('log')
          return { ...head, frontier: Buffer.from(frontier).toString('hex') }
        },
        expected: { size: 1, root: HASH, openedAt: 7, keyVersion: 2, ending: null, frontier: HASH },
      },
    ]),
    CounterObject: seeded(env.COUNTERS, COUNTER_SEEDS),
  },
  env,
)

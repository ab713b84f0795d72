import { env } from 'cloudflare:workers'
import { describeUpgrades, seeded } from '@svc/objects/testing'
import * as worker from '../../src/index.ts'

const HASH = '11'.repeat(48)
const LABEL = `5a1${'0'.repeat(61)}`

describeUpgrades(
  worker,
  {
    AccountDirectoryObject: seeded(env.ACCOUNT_DIRECTORIES, [
      {
        schema: 'account-directory',
        version: 1,
        rows: `
          INSERT INTO devices (device_id, version, revoked_version, revoked_at, revocation)
            VALUES ('device', 2, 1, 50, '{"seq":7,"statement":{"version":1}}');
          INSERT INTO packages (device_id, profile, suite_id, version, leaf_id, pair, published_at, seq)
            VALUES ('device', 'direct', 'ml-kem-768', 2, 'leaf',
              '{"credential":{"statement":{"rootEpoch":0}}}', 100, 1);
          INSERT INTO updates (seq, statement_hash, head, statement, log, idx)
            VALUES (1, 'hash', 'head', '{"type":"t"}', 'log', 3);
          INSERT INTO outbox (seq, leaf_id, entry, log) VALUES (1, 'leaf', 'entry', 'log');
          INSERT INTO unreported (seq, id, item, attempts, due_at) VALUES (1, 'hash', '{}', 0, 4000000000000);
          INSERT INTO batches (batch_id, device_id, root, signed, issued_at) VALUES (1, 'device', 'root', '{}', 90);
          INSERT INTO prekeys (prekey_id, batch_id, idx, device_id, profile, suite_id, kind, state, public_key, proof,
            added_at) VALUES ('spent', 1, 0, 'device', 'direct', 'ml-kem-768', 'one-time', 'spent', 'key', '[]', 91);
          INSERT INTO reservations (seq, reservation_id, requester, requester_device, idem_key, body_hash, device_id,
            profile, suite_id, kind, prekey_id, leaf_id, reserved_at, expires_at, receipt, standing)
            VALUES (5, 'reservation', 'did:of:requester', NULL, 'key', 'hash', 'device', 'direct', 'ml-kem-768', 'one-time',
              'spent', 'leaf', 120, 130, NULL, 'stranger');
          INSERT INTO pools (device_id, profile, suite_id, kept) VALUES ('device', 'direct', 'ml-kem-768', 25);
          INSERT INTO settings (id, reserve) VALUES (0, 'contacts');
          INSERT INTO contacts (tag) VALUES ('tag');`,
        read: async (account) => ({
          listed: await account.list(0, 10),
          pool: await account.pool('did:of:owner', 'device', 100, 10),
          settings: await account.settings(),
          update: await account.findUpdate('hash'),
        }),
        expected: {
          settings: { reserve: 'contacts', contacts: ['tag'] },
          update: { seq: 1, position: { log: 'log', index: 3 } },
          listed: {
            seq: 1,
            head: 'head',
            updates: [
              {
                seq: 1,
                statementHash: 'hash',
                statement: { type: 't' },
                row: {
                  deviceId: 'device',
                  profile: 'direct',
                  suiteId: 'ml-kem-768',
                  version: 2,
                  seq: 1,
                  leafId: 'leaf',
                  pair: { credential: { statement: { rootEpoch: 0 } } },
                  publishedAt: 100,
                },
                revocation: null,
              },
            ],
          },
          pool: {
            ok: true,
            value: {
              stock: [],
              reservations: [
                {
                  reservationId: 'reservation',
                  accountDid: 'did:of:owner',
                  deviceId: 'device',
                  requesterDid: 'did:of:requester',
                  requesterDevice: null,
                  profile: 'direct',
                  suiteId: 'ml-kem-768',
                  kind: 'one-time',
                  prekeyId: 'spent',
                  expiresAt: 130,
                  reservedAt: 120,
                },
              ],
              next: null,
            },
          },
        },
      },
    ]),
    TransparencyLogObject: seeded(env.TRANSPARENCY_LOG, [
      {
        schema: 'log',
        version: 1,
        rows: `
          INSERT INTO log (id, name, key_version, opened_at) VALUES (0, 'log', 2, 70);
          INSERT INTO head (id, batch, size, root, edge, tail) VALUES (0, 1, 1, '${HASH}', x'${HASH}', 'entry');
          INSERT INTO periods (period, began_at, first_batch, first_index, state) VALUES (7, 1, 1, 0, 'dropped');
          INSERT INTO unacknowledged (idx, leaf_id, known_at) VALUES (0, 'leaf', NULL);
          INSERT INTO retired (size, next, since) VALUES (0, 1, 4000000000000);
          INSERT INTO cosignatures (witness, size, signed) VALUES ('witness', 1, '{"statement":{"size":1}}');`,
        read: async (log) => {
          // Its object starts only beside the head that it has.
          await env.TILES.put('log-heads/log/1', '')
          await env.TILES.put('logs/log/opening', JSON.stringify({ entry: '{}', keyVersion: 2 }))
          const { frontier, ...head } = await log.head('log')
          const index = await log.locate('log', 'leaf')
          const cosigned = await log.cosignatures('log')
          return { ...head, index, frontier: Buffer.from(frontier).toString('hex'), cosigned }
        },
        expected: {
          size: 1,
          root: HASH,
          openedAt: 70,
          keyVersion: 2,
          ending: null,
          index: 0,
          frontier: HASH,
          cosigned: [{ statement: { size: 1 } }],
        },
      },
    ]),
    AccountMapObject: seeded(env.ACCOUNT_MAP, [
      {
        schema: 'account-map',
        version: 1,
        rows: `
          INSERT INTO maps (epoch, at, log, size, step, heads, to_log, to_size, idx)
            VALUES (7, 60, 'test/transparency/2027a', 5, 1, '[null,{"hash":"${HASH}","isLone":true}]', 'test/transparency/2027a', 5, 5);
          INSERT INTO logs (ordinal, log, size, root) VALUES (0, 'test/transparency/2027a', NULL, NULL);
          INSERT INTO repairs (bucket) VALUES (3);`,
        read: async (map) => ({
          current: await map.current('test/transparency/2027a'),
          isSigned: [await map.isSigned(7), await map.isSigned(8)],
        }),
        expected: {
          current: {
            epoch: 7,
            at: 60,
            counted: { log: 'test/transparency/2027a', size: 5 },
            heads: [null, { hash: HASH, isLone: true }],
            index: 5,
          },
          isSigned: [true, false],
        },
      },
    ]),
    MapBucketObject: seeded(env.MAP_BUCKETS, [
      {
        schema: 'map-bucket',
        version: 1,
        // A page with one account, in slot 1.
        rows: `
          INSERT INTO pages (digits, epoch, slots, undo)
            VALUES ('', 7, x'04000000${LABEL}00000002${HASH}00000000000003e8${HASH}', x'0100');
          INSERT INTO facts (name, value) VALUES
            ('head', '{"epoch":7,"step":1,"until":"log:5","head":{"hash":"${HASH}","isLone":true},"before":null}');`,
        read: (bucket) => bucket.path(LABEL, { hash: HASH, isLone: true }),
        expected: {
          ok: true,
          value: {
            terminal: { label: LABEL, seq: 2, head: HASH, agreement: { hash: HASH, issuedAt: 1_000 } },
            siblings: [],
          },
        },
      },
    ]),
    BeaconObject: seeded(env.BEACON, [
      {
        schema: 'beacon',
        version: 1,
        rows: `
          INSERT INTO head (id, size, at, edge) VALUES (0, 1, 4000000000000, x'${'22'.repeat(32)}');
          INSERT INTO tail (idx, entry) VALUES (0, 'entry');
          INSERT INTO published (id, size, note) VALUES (0, 1, 'note');
          INSERT INTO witnesses (url, size) VALUES ('https://witness.test', 1);`,
        read: async (beacon) => {
          const tile = await beacon.tile({ level: 0, index: 0, width: 1 })
          const bundle = await beacon.tile({ level: 'entries', index: 0, width: 1 })
          const [hashes, entries] = [tile, bundle].map((bytes) => Buffer.from(bytes ?? []).toString('hex'))
          return { note: await beacon.checkpoint(), hashes, entries }
        },
        expected: { note: 'note', hashes: '22'.repeat(32), entries: `0005${Buffer.from('entry').toString('hex')}` },
      },
    ]),
  },
  env,
)

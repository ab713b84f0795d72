import { env } from 'cloudflare:workers'
import { describeUpgrades, seeded } from '@svc/objects/testing'
import { COUNTER_SEEDS } from '@svc/service/testing'
import * as worker from '../../src/index.ts'

const NAME = '0123456789abcdef'.repeat(2)
const VECTOR = 'a5'.repeat(32)
const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'))

describeUpgrades(
  worker,
  {
    CounterObject: seeded(env.COUNTERS, COUNTER_SEEDS),
    OpenNoncesObject: seeded(env.OPEN_NONCES, [
      {
        schema: 'open-nonces',
        version: 1,
        rows: `CREATE TABLE recent_6666666 (place INTEGER PRIMARY KEY, names BLOB NOT NULL) STRICT;
               INSERT INTO recent_6666666 (place, names) VALUES (0, x'${NAME}');`,
        read: (nonces) => nonces.spend(bytes(NAME + 'ff'.repeat(16)), 10),
        expected: [false, true],
      },
    ]),
    CapsuleBucketObject: seeded(env.CAPSULE_BUCKETS, [
      {
        schema: 'capsule-bucket',
        version: 1,
        rows: `INSERT INTO capsules (asset_id, did, kind, capsule_hash, body_key, position, registered_at)
                 VALUES ('asset', 'did:svc:a', 'image', 'hash', 'capsules/key', 3, 5);
               INSERT INTO positions (asset_id, last) VALUES ('asset', 4);
               INSERT INTO takedowns (asset_id, reason) VALUES ('gone', 'legal');
               INSERT INTO loose (key, asset_id, is_condemned, attempts, due_at) VALUES ('capsules/old', 'gone', 1, 0, 9);
               INSERT INTO untold (asset_id, did, revision, is_held, body_key, attempts, due_at)
                 VALUES ('asset', 'did:svc:a', 7, 1, 'capsules/key', 0, 9);
               INSERT INTO vector_removals (asset_id, did, position, is_repeat, attempts, due_at)
                 VALUES ('asset', 'did:svc:b', 2, 0, 0, 9);
               INSERT INTO facts (name, value) VALUES ('revision', '7');`,
        read: async (bucket) => [
          await bucket.find('asset', undefined),
          await bucket.takeDown('gone', 'legal', false, 9),
        ],
        expected: [
          {
            assetId: 'asset',
            did: 'did:svc:a',
            kind: 'image',
            capsuleHash: 'hash',
            bodyKey: 'capsules/key',
            position: 3,
            registeredAt: 5,
            chain: null,
          },
          { isKnown: true, isClean: true },
        ],
      },
    ]),
    CapsuleOwnerObject: seeded(env.CAPSULE_OWNERS, [
      {
        schema: 'capsule-owner',
        version: 1,
        rows: `INSERT INTO held (asset_id, revision, is_held, told_at) VALUES ('asset', 7, 1, 5);
               INSERT INTO reserved (id, asset_id, until) VALUES ('key', 'other', 99);
               INSERT INTO facts (name, value) VALUES ('kept', '1');`,
        read: (owner) => owner.reserve('another', 'third', 2, 10),
        expected: { ok: false, error: { reason: 'full', used: 2 } },
      },
    ]),
    VectorIndexObject: seeded(env.VECTOR_INDEX, [
      {
        schema: 'vector-index',
        version: 1,
        rows: `INSERT INTO sets (seq, set_id, vectors) VALUES (1, 7, x'${'00'.repeat(32)}${VECTOR}')`,
        read: (index) => index.nearest(bytes(VECTOR), { topK: 1, maxDistance: 256 }),
        expected: [[{ set: 7, place: 1, distance: 0 }]],
      },
    ]),
  },
  env,
)

import { env } from 'cloudflare:workers'
import { describeUpgrades, seeded } from '@svc/objects/testing'
import { COUNTER_SEEDS, NONCE_GUARD_SEEDS } from '@svc/service/testing'
import * as worker from '../../src/index.ts'

const NAME = '0123456789abcdef'.repeat(2)
const VECTOR = 'a5'.repeat(32)
const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'))

describeUpgrades(
  worker,
  {
    NonceGuard: seeded(env.NONCES, NONCE_GUARD_SEEDS),
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

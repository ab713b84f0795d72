import { env } from 'cloudflare:workers'
import { describeUpgrades, seeded } from '@svc/objects/testing'
import { COUNTER_SEEDS } from '@svc/service/testing'
import * as worker from '../../src/index.ts'

describeUpgrades(
  worker,
  {
    CounterObject: seeded(env.COUNTERS, COUNTER_SEEDS),
    CeremonyObject: seeded(env.CEREMONIES, [
      {
        schema: 'ceremony',
        version: 1,
        rows: `INSERT INTO ceremony (id, kind, state, expires_at) VALUES (0, 'login', 'state', 4000000000000)`,
        read: async (ceremony) => [
          await ceremony.look('login'),
          await ceremony.take('login'),
          await ceremony.look('login'),
        ],
        expected: ['state', 'state', null],
      },
      {
        schema: 'spent',
        version: 1,
        rows: `INSERT INTO spent (name, expires_at) VALUES (x'010203', 4000000000000)`,
        read: async (ceremony) => [
          await ceremony.spend(Uint8Array.of(1, 2, 3), 4_000_000_000_000),
          await ceremony.spend(Uint8Array.of(1, 2, 4), 4_000_000_000_000),
        ],
        expected: [false, true],
      },
    ]),
  },
  env,
)

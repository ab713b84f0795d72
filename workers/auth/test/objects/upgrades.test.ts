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
    ]),
  },
  env,
)

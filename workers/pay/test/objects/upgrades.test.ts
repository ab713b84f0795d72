import { env } from 'cloudflare:workers'
import { describeUpgrades, seeded } from '@svc/objects/testing'
import { COUNTER_SEEDS } from '@svc/service/testing'
import * as worker from '../../src/index.ts'

describeUpgrades(
  worker,
  {
    CounterObject: seeded(env.COUNTERS, COUNTER_SEEDS),
    QuotaMeterObject: seeded(env.QUOTA_METERS, [
      {
        schema: 'quota-meter',
        version: 1,
        rows: `INSERT INTO meters (kind, period, used) VALUES ('text', '2999-01', 3);
               INSERT INTO uses (origin, key, kind, amount, period, state, expires_at)
                 VALUES ('internal', 'held', 'capsule', 2, '2999-01', 'reserved', 4000000000000);`,
        read: (meter) => meter.settle('held', 'finalized'),
        expected: { ok: true, value: { state: 'finalized', kind: 'capsule', amount: 2, expiresAt: 4_000_000_000_000 } },
      },
    ]),
  },
  env,
)

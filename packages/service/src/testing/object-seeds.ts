import type { NonceGuard } from '@svc/assertion/worker'
import type { SeededObject } from '@svc/objects/testing'
import type { CounterObject } from '../limits/counter-object.ts'

const FAR_FUTURE = 4_000_000_000_000

/** Objects of the classes that several Workers export, at every version. */
export const NONCE_GUARD_SEEDS: readonly SeededObject<NonceGuard>[] = [
  {
    schema: 'nonce-guard',
    version: 1,
    rows: `CREATE TABLE nonces_1111111 (name BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
           INSERT INTO nonces_1111111 (name) VALUES (x'e540e454f086bc3b51a0fd39e297be45');
           INSERT INTO facts (name, value) VALUES ('noncesForgotten', '${FAR_FUTURE - 3_600_000}');`,
    read: async (guard) => [
      await guard.spend('signer', 'spent', FAR_FUTURE),
      await guard.spend('signer', 'fresh', FAR_FUTURE),
      await guard.spend('signer', 'older', FAR_FUTURE - 3_600_001),
    ],
    expected: ['replay', 'spent', 'expired'],
  },
]

export const COUNTER_SEEDS: readonly SeededObject<CounterObject>[] = [
  {
    schema: 'counter',
    version: 1,
    rows: `INSERT INTO marks (mark, at, until) VALUES ('counted', ${FAR_FUTURE}, ${FAR_FUTURE})`,
    read: async (counter) => {
      const full = await counter.take({ limit: 1, seconds: 60 })
      await counter.release('counted')
      const freed = await counter.take({ limit: 1, seconds: 60 })
      return [full.ok, freed.ok]
    },
    expected: [false, true],
  },
]

import type { SeededObject } from '@svc/objects/testing'
import type { CounterObject } from '../limits/counter-object.ts'

const FAR_FUTURE = 4_000_000_000_000

/** Objects of a class that several Workers export, at every version. */
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

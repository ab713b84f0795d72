import { afterEach, expect, inject, it, vi } from 'vitest'
import { seeded } from '../random-game.ts'
import { playRow, type Row, randomThief } from './row.ts'

afterEach(() => {
  vi.useRealTimers()
})

const operator = { operator: true } as const
const replaceable = { commitment: 'replaceable' } as const
/** Three ticks a day: a window and a look, seven days and a look, five days and a look. */
const [WINDOW, CONTEST, OPERATOR] = [3 + 2, 21 + 2, 15 + 2]

const ROWS: readonly Row[] = [
  { thief: 'R', owner: 'RDS', within: WINDOW },
  { thief: 'R', owner: 'KS', within: WINDOW },
  { thief: 'D', owner: 'RS', within: WINDOW },
  { thief: 'RD', owner: 'RS', within: WINDOW },
  { thief: 'RD', owner: 'KS', within: WINDOW },
  { thief: 'RD', owner: 'KS', rest: replaceable, within: WINDOW },
  { thief: 'R', owner: 'S', within: null },
  { thief: 'RD', owner: 'DS', rest: replaceable, within: null },
  { thief: 'RD', owner: 'RD', within: null },
  { thief: 'S', owner: 'RS', within: CONTEST },
  { thief: 'S', owner: 'RD', within: null },
  { thief: 'DS', owner: 'KS', within: CONTEST },
  { thief: 'RS', owner: 'RDS', within: CONTEST },
  { thief: 'RD', owner: 'S', rest: operator, within: OPERATOR },
  { thief: 'RS', owner: 'S', rest: operator, within: OPERATOR },
  { thief: 'RDS', owner: 'RDS', rest: operator, within: OPERATOR },
]
/** Of a game that nobody wins. */
const TICKS = 60

it.each(ROWS)(
  '$thief | $owner: the owner keeps, or regains, at the real service',
  { timeout: 3_600_000 },
  async (row) => {
    const { random: games, seed } = inject('games')
    for (let i = 0; i < Math.ceil(games / 100); i++) {
      const { root, took } = await playRow(row, randomThief(seeded(seed + i)), TICKS, (what, actual, expected) =>
        expect(actual, what).toEqual(expected),
      )
      // A thief who does nothing that can be seen leaves the owner in peace.
      if (row.within === null) expect(root).toBe('S')
      else if (root !== 'S') expect([root, took <= row.within]).toEqual(['O', true])
    }
  },
)

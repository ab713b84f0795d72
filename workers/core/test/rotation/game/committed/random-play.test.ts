import { afterEach, expect, inject, it, vi } from 'vitest'
import { seeded } from '../random-game.ts'
import { playCommitted } from './play.ts'

const ACTS = 40

afterEach(() => {
  vi.useRealTimers()
})

it('random games of identities with a commitment go as the rules say', { timeout: 3_600_000 }, async () => {
  const { random, seed } = inject('games')
  const games = Math.ceil(random / 2)
  const ends = { S: 0, O: 0, T: 0, X: 0 }
  for (let i = 0; i < games; i++) {
    const root = await playCommitted(seed + i, seeded(seed + i), ACTS, (what, actual, expected) =>
      expect(actual, what).toEqual(expected),
    )
    ends[root] += 1
  }
  if (games < 20) return
  // Games that only ever go on would compare nothing that matters.
  for (const end of ['O', 'T', 'X'] as const) expect(ends[end], `games that end with ${end}`).toBeGreaterThan(0)
})

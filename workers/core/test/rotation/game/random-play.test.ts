import { afterEach, expect, inject, it, vi } from 'vitest'
import { play } from './random-game.ts'

declare module 'vitest' {
  interface ProvidedContext {
    games: { readonly random: number; readonly seed: number; readonly solvesAll: boolean }
  }
}

const ACTS = 40

afterEach(() => {
  vi.useRealTimers()
})

it('random games with the real service go as the rules say', { timeout: 3_600_000 }, async () => {
  const { random: games, seed } = inject('games')
  const ends = { S: 0, O: 0, T: 0, X: 0 }
  for (let i = 0; i < games; i++) {
    const root = await play(seed + i, ACTS, (what, actual, expected) => expect(actual, what).toEqual(expected))
    ends[root] += 1
  }
  if (games < 20) return
  // Games that only ever go on would compare nothing that matters.
  for (const end of ['O', 'T', 'X'] as const) expect(ends[end], `games that end with ${end}`).toBeGreaterThan(0)
})

import { describe, expect, it } from 'vitest'
import { counterAdvances } from './rules.ts'

describe('counterAdvances', () => {
  it.each([
    [0, 0, true],
    [0, 1, true],
    [5, 6, true],
    [5, 4_294_967_295, true],
    [5, 5, false],
    [5, 4, false],
    [5, 0, false],
    [1, 0, false],
  ])('from %d to %d: %s', (stored, presented, advances) => {
    expect(counterAdvances(stored, presented)).toBe(advances)
  })
})

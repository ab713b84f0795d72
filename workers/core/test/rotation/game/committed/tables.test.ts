import { expect, inject, it } from 'vitest'
import { solve } from '../solver.ts'
import { sceneOf, shortOf } from './scenes.ts'
import { ROWS } from './tables.ts'

const rows = ROWS.filter(({ isLong }) => !isLong || inject('games').solvesAll)

it.each(rows)('$name', { timeout: 600_000 }, ({ thief, owners, expected, table: { book, rest } }) => {
  const solved = owners.map((owner) => solve(sceneOf(thief === 'nobody' ? '' : thief, owner, rest), book))
  expect(solved.map(shortOf), solved.map(({ play }) => play).join('\n')).toEqual(expected)
})

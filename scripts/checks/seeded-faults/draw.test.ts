import { expect, it } from 'vitest'
import { draw } from './draw.ts'

const POOL = Array.from({ length: 100 }, (_, i) => ({ id: `fault-${i}` }))
const idsOf = (seed: string, pool = POOL) => draw(pool, 24, seed).map(({ id }) => id)

it('draws each fault at most once, and the same for the same seed', () => {
  expect(new Set(idsOf('7f655705')).size).toBe(24)
  expect(idsOf('7f655705', POOL.toReversed())).toEqual(idsOf('7f655705'))
})

it('draws others for another seed', () => {
  expect(idsOf('518901f6')).not.toEqual(idsOf('7f655705'))
})

it('draws a pool whole that has fewer', () => {
  expect(draw(POOL.slice(0, 3), 24, 'seed')).toHaveLength(3)
})

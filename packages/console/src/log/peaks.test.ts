import { expect, it } from 'vitest'
import { peaksOf } from './peaks.ts'

it('a tree is its complete subtrees, the largest first', () => {
  expect(peaksOf(0)).toEqual([])
  expect(peaksOf(1)).toEqual([{ first: 0, leaves: 1, height: 0 }])
  expect(peaksOf(8)).toEqual([{ first: 0, leaves: 8, height: 3 }])
  expect(peaksOf(13).map(({ first, leaves }) => [first, leaves])).toEqual([
    [0, 8],
    [8, 4],
    [12, 1],
  ])
  expect(peaksOf(2 ** 40 + 1).map(({ leaves }) => leaves)).toEqual([2 ** 40, 1])
})

import { expect, it } from 'vitest'
import { secondsToWait } from '../limits/counter.ts'

const FIVE_IN_TEN_MINUTES = { limit: 5, seconds: 600 }
const T = 1_790_000_000_000
const at = (...seconds: number[]) => seconds.map((second) => T + second * 1000)

it.each<[string, number[], number, number]>([
  ['nothing was counted', [], 0, 0],
  ['one fewer than the limit was', at(0, 1, 2, 3), 4, 0],
  ['the limit is reached', at(0, 1, 2, 3, 4), 5, 595],
  ['the oldest is about to count no more', at(0, 1, 2, 3, 4), 599, 1],
  ['the oldest counts no more', at(0, 1, 2, 3, 4), 600, 0],
  ['all came at once', at(0, 0, 0, 0, 0), 300, 300],
  ['older ones are still there', at(-700, -601, 0, 1, 2, 3), 5, 0],
  ['more than the limit were', at(0, 1, 2, 3, 4, 5, 6), 10, 592],
])('when %s', (_, times, second, expected) => {
  expect(secondsToWait(times, FIVE_IN_TEN_MINUTES, T + second * 1000)).toBe(expected)
})

it('waits a whole second for the last millisecond, and never longer than the window', () => {
  expect(secondsToWait(at(0, 0, 0, 0, 0), FIVE_IN_TEN_MINUTES, T + 599_999)).toBe(1)
  expect(secondsToWait(at(0, 0, 0, 0, 0), FIVE_IN_TEN_MINUTES, T)).toBe(600)
})

it('lets through exactly the limit in any window of a day of attempts', () => {
  const taken: number[] = []
  for (let now = T; now < T + 86_400_000; now += 37_000) {
    if (secondsToWait(taken, FIVE_IN_TEN_MINUTES, now) === 0) taken.push(now)
  }
  for (const start of taken) {
    expect(taken.filter((time) => time >= start && time < start + 600_000).length).toBeLessThanOrEqual(5)
  }
  expect(taken.length).toBeGreaterThan(600)
})

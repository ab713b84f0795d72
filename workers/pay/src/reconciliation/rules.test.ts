import { expect, it } from 'vitest'
import { spansOf } from './rules.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const NOW = 1_790_000_000_000

it('compares the last day again, in spans of six hours and full seconds', () => {
  expect(spansOf(NOW - HOUR, NOW + 999)).toEqual([
    { from: NOW - 25 * HOUR, until: NOW - 19 * HOUR },
    { from: NOW - 19 * HOUR, until: NOW - 13 * HOUR },
    { from: NOW - 13 * HOUR, until: NOW - 7 * HOUR },
    { from: NOW - 7 * HOUR, until: NOW - HOUR },
    { from: NOW - HOUR, until: NOW },
  ])
})

it.each([null, 0, NOW - 60 * DAY])('goes back the 30 days that the provider lists after %j', (comparedUntil) => {
  const spans = spansOf(comparedUntil, NOW)
  expect([spans[0]?.from, spans.at(-1)?.until, spans.length]).toEqual([NOW - 30 * DAY, NOW, 120])
})

it('compares nothing that is still to come', () => {
  expect(spansOf(NOW + DAY, NOW)).toEqual([])
  expect(spansOf(NOW + 2 * DAY, NOW)).toEqual([])
})

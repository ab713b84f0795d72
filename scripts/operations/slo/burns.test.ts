import { expect, it } from 'vitest'
import type { Counted } from './alerts.ts'
import { burnsOf } from './burns.ts'
import { OBJECTIVES } from './objectives.ts'

const MINUTE_MS = 60_000
const NOW = Date.UTC(2027, 0, 15)
const OPTIONS = { now: NOW, observedFrom: NOW - 120 * MINUTE_MS }

/** A root is read ten times a minute for two hours; in the last half hour one of ten fails. */
const rows = Array.from({ length: 120 }, (_, minute): Counted[] => {
  const one = {
    at: NOW - minute * MINUTE_MS,
    kind: 'request',
    service: 'core',
    name: 'readRoot',
    value: 5,
    detail: 200,
  }
  const bad = minute < 30 ? 1 : 0
  return [
    { ...one, outcome: '2xx', count: 10 - bad, slow: 0 },
    { ...one, outcome: '5xx', count: bad, slow: 0 },
  ]
}).flat()

it('tells both shares of every objective', () => {
  const names = burnsOf(rows, OPTIONS).map(({ title, share }) => `${title} ${share}`)
  expect(names).toEqual(OBJECTIVES.flatMap(({ title }) => [`${title} availability`, `${title} latency`]))
})

it('counts what was bad, and draws the rate over an hour and over five minutes', () => {
  const [reads] = burnsOf(rows, OPTIONS)
  // 30 of 1,200 is 2.5 %, 25 times the 0.1 % that the objective allows.
  expect(reads).toMatchObject({ target: 0.999, requests: 1_200, bad: 30, rate: 25, limit: 14.4 })
  expect(reads?.points).toHaveLength(121)
  expect(reads?.points[0]).toEqual({ at: OPTIONS.observedFrom, long: 0, short: 0 })
  // 30 of the last hour's 600, and 5 of the last 50.
  expect(reads?.points.at(-1)).toEqual({ at: NOW, long: 50, short: 100 })
})

it('draws nothing where nothing was bad', () => {
  const [, inTime, logReads] = burnsOf(rows, OPTIONS)
  expect(inTime).toMatchObject({ requests: 1_200, bad: 0, rate: 0, points: [] })
  expect(logReads).toMatchObject({ requests: 0, bad: 0, rate: 0, points: [] })
})

it('divides the windows of a load run', () => {
  const [reads] = burnsOf(rows, { ...OPTIONS, scale: 4 })
  // The long window is 15 minutes: one request of ten fails in it, where one of a thousand may.
  expect(reads?.points.at(-1)).toMatchObject({ long: 100 })
})

import { describe, expect, it } from 'vitest'
import { type Counted, type EvaluationOptions, rang, ringing } from './alerts.ts'
import { burnsOf } from './burns.ts'
import { BURN_RULES, DELAY_RULES, OBJECTIVES, QUEUE_RULES, RUN_RULES } from './objectives.ts'
import { sloPage } from './page.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const NOW = Date.UTC(2027, 0, 15)
/** No trigger can be missing yet. */
const OBSERVED: EvaluationOptions = { now: NOW, observedFrom: NOW }

const row = (fields: Partial<Counted>): Counted => ({
  at: NOW,
  kind: 'request',
  service: 'core',
  name: 'readRoot',
  outcome: '2xx',
  count: 1,
  slow: 0,
  value: 5,
  detail: 200,
  ...fields,
})
const namesOf = (rows: readonly Counted[], options = OBSERVED) =>
  ringing(rows, options).map(({ alert, subject }) => `${alert} ${subject}`)

/** A request a minute for the last hours, of an operation of the objective; bad ones in the last `badMinutes`. */
function traffic(kind: string, hours: number, badMinutes: number, badShare: number, bad: Partial<Counted>): Counted[] {
  const [service = '', names = []] = Object.entries(OBJECTIVES.find((o) => o.kind === kind)?.operations ?? {})[0] ?? []
  return Array.from({ length: hours * 60 }, (_, minute) => {
    const one = row({ at: NOW - minute * MINUTE_MS, service, name: names[0] ?? '', count: 100 })
    const share = minute < badMinutes ? badShare : 0
    if (share === 0) return [one]
    return [
      { ...one, count: 100 - share },
      { ...one, count: share, ...bad },
    ]
  }).flat()
}

describe.each(OBJECTIVES)('the objective of $kind', ({ kind, availability }) => {
  const failed = { outcome: '5xx' }
  const share = (burn: number) => Math.ceil((1 - availability) * burn * 100)

  it('rings fast when an hour of it burns 14.4 times as fast as allowed, and no longer after five minutes', () => {
    const rows = traffic(kind, 1, 60, share(14.4) + 1, failed)
    expect(namesOf(rows)).toContain(`availability-fast ${kind}`)
    const after = (minutes: number) =>
      namesOf(rows, { now: NOW + minutes * MINUTE_MS, observedFrom: NOW + minutes * MINUTE_MS })
    expect(after(6)).toEqual([`availability-slow ${kind}`])
    expect(after(31)).toEqual([])
  })

  it('rings slowly when six hours burn six times as fast, and no other alert does', () => {
    const rows = traffic(kind, 6, 360, share(6) + 1, failed)
    const slow = `availability-slow ${kind}`
    expect(namesOf(rows)).toContain(slow)
    expect(namesOf(traffic(kind, 6, 20, share(6) + 1, failed))).not.toContain(slow)
  })

  it('rings for answers that take too long', () => {
    const slow = traffic(kind, 6, 60, 20, { slow: 20 })
    expect(namesOf(slow)).toEqual([`latency-fast ${kind}`])
    expect(namesOf(traffic(kind, 6, 360, 7, { slow: 7 }))).toEqual([`latency-slow ${kind}`])
  })

  it('does not ring for refusals, for a healthy day, or for four failures of a quiet night', () => {
    expect(namesOf(traffic(kind, 24, 60, 50, { outcome: '4xx' }))).toEqual([])
    expect(namesOf(traffic(kind, 24, 0, 0, {}))).toEqual([])
    const [quiet] = traffic(kind, 1, 0, 0, {})
    expect(namesOf([{ ...row({}), ...quiet, count: 4, outcome: '5xx' }])).toEqual([])
    expect(namesOf([{ ...row({}), ...quiet, count: 5, outcome: '5xx' }])).not.toEqual([])
  })
})

it('has the windows and factors of the SRE workbook', () => {
  // The share of the budget of 30 days that is spent when an alert rings.
  expect(BURN_RULES.map(({ longMinutes, burnRate }) => (burnRate * longMinutes) / (30 * 24 * 60))).toEqual([0.02, 0.05])
  expect(BURN_RULES.every(({ longMinutes, shortMinutes }) => shortMinutes * 12 === longMinutes)).toBe(true)
})

describe.each(QUEUE_RULES)('the queue $queue of $service', ({ service, queue, maxAgeMinutes }) => {
  const waiting = (minutes: number, value = 2) =>
    row({ kind: 'queue', service, name: queue, value, detail: minutes * 60, outcome: '' })

  it('rings when its oldest is too old, and not after it was emptied', () => {
    expect(namesOf([waiting(maxAgeMinutes + 1)])).toEqual([`queue-age ${queue}`])
    expect(namesOf([waiting(maxAgeMinutes)])).toEqual([])
    expect(namesOf([{ ...waiting(maxAgeMinutes + 1), at: NOW - MINUTE_MS }, waiting(0, 0)])).toEqual([])
  })
})

describe('work that is delayed', () => {
  const failed = (name: string, minutesAgo: number) =>
    row({ kind: 'delay', name, at: NOW - minutesAgo * MINUTE_MS, value: 3, outcome: '' })

  it('rings after ten minutes of failures, and not for one that passes', () => {
    expect(namesOf([failed('anchors', 11), failed('anchors', 1)])).toEqual(['delay anchors'])
    expect(namesOf([failed('anchors', 11)])).toEqual([])
    expect(namesOf([failed('anchors', 5), failed('anchors', 4), failed('anchors', 1)])).toEqual([])
    expect(namesOf([failed('anchors', 61), failed('anchors', 60)])).toEqual([])
  })

  it.each(Object.keys(DELAY_RULES))('rings after two runs of the trigger for %s', (name) => {
    expect(namesOf([failed(name, 70), failed(name, 1)])).toEqual([`delay ${name}`])
    expect(namesOf([failed(name, 30), failed(name, 1)])).toEqual([])
  })
})

describe.each(RUN_RULES)('the trigger "$run" of $service', ({ service, run, everyMinutes }) => {
  const long = { now: NOW, observedFrom: NOW - 10 * 24 * HOUR_MS }
  const others = RUN_RULES.filter((rule) => rule.service !== service || rule.run !== run).map((rule) =>
    row({ kind: 'run', service: rule.service, name: rule.run, outcome: 'done' }),
  )
  const ran = (minutesAgo: number, outcome = 'done') =>
    row({ kind: 'run', service, name: run, outcome, at: NOW - minutesAgo * MINUTE_MS })

  it('rings when it was not done for two and a half periods', () => {
    const missing = [`run-missing ${service} ${run}`]
    expect(namesOf(others, long)).toEqual(missing)
    expect(namesOf([...others, ran(everyMinutes * 2.5 + 1)], long)).toEqual(missing)
    expect(namesOf([...others, ran(1, 'failed')], long)).toEqual(missing)
    expect(namesOf([...others, ran(everyMinutes * 2.5)], long)).toEqual([])
  })

  it('does not ring before it could have been seen', () => {
    expect(namesOf([], { now: NOW, observedFrom: NOW - everyMinutes * MINUTE_MS })).not.toContain(
      `run-missing ${service} ${run}`,
    )
  })
})

it('scales all windows, for a load run of seconds', () => {
  const rows = Array.from({ length: 60 }, (_, second) =>
    row({ at: NOW - second * 1000, outcome: second < 20 ? '5xx' : '2xx' }),
  )
  expect(namesOf(rows, { ...OBSERVED, scale: 120 })).toContain('availability-fast public-read')
})

it('tells which alerts rang before, and from when to when', () => {
  const rows = traffic('public-read', 2, 0, 0, {})
  const [service, name] = [rows[0]?.service ?? '', rows[0]?.name ?? '']
  const failed = Array.from({ length: 10 }, (_, i) =>
    row({ at: NOW - (60 + i) * MINUTE_MS, service, name, count: 100, outcome: '5xx' }),
  )
  const options = { now: NOW, observedFrom: NOW - 2 * HOUR_MS, hasTriggers: false }
  expect(namesOf([...rows, ...failed], options)).toEqual([])
  const [first] = rang([...rows, ...failed], options).filter(({ alert }) => alert === 'availability-fast')
  expect(first).toMatchObject({ subject: 'public-read' })
  expect((NOW - (first?.since ?? 0)) / MINUTE_MS).toBeCloseTo(69, 0)
  expect((NOW - (first?.until ?? 0)) / MINUTE_MS).toBeCloseTo(56, 0)
})

it('misses no trigger where there are none', () => {
  const silent = { now: NOW, observedFrom: NOW - 100 * HOUR_MS }
  expect(namesOf([], silent)).not.toEqual([])
  expect(namesOf([], { ...silent, hasTriggers: false })).toEqual([])
})

it('draws a page that loads nothing and says what rings', () => {
  const rows = traffic('public-read', 1, 10, 50, { outcome: '5xx' })
  const options = { now: NOW, observedFrom: NOW - HOUR_MS }
  const page = sloPage(
    { alerts: ringing(rows, options), past: rang(rows, options), burns: burnsOf(rows, options) },
    options,
  )
  expect(page).toContain('availability-fast')
  expect(page).toMatch(
    /<svg[^>]+role="img" aria-label="Public reads, availability: burn rate over an hour is at most \d/,
  )
  expect(page).not.toMatch(/<script|<link|<img|https?:|url\(/)
  expect(page).toContain('prefers-color-scheme: dark')
})

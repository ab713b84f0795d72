import { expect, it } from 'vitest'
import { sloReportOf } from './slo-report.ts'

const alert = { alert: 'availability-fast', subject: 'append', since: 1, text: 'burns' }
const burn = {
  title: 'Public reads',
  share: 'latency',
  p99Ms: 400,
  target: 0.99,
  requests: 12,
  bad: 1,
  rate: 8.33,
  limit: 14.4,
  points: [{ at: 1, long: 8, short: 0 }],
}
const report = { rows: 3, alerts: [alert], past: [{ ...alert, until: 2 }], burns: [burn] }

it('reads a report of scripts/slo', () => {
  expect(sloReportOf(JSON.stringify(report))).toEqual(report)
})

it.each([
  ['nothing', ''],
  ['a list', '[]'],
  ['null', 'null'],
  ['an object without members', '{}'],
  ['a report without burns', JSON.stringify({ ...report, burns: undefined })],
  ['alerts that are numbers', JSON.stringify({ ...report, alerts: [1] })],
  ['an alert that has no end', JSON.stringify({ ...report, past: [alert] })],
  ['another share', JSON.stringify({ ...report, burns: [{ ...burn, share: 'luck' }] })],
  ['a point without a time', JSON.stringify({ ...report, burns: [{ ...burn, points: [{ long: 1, short: 1 }] }] })],
])('refuses %s', (_, text) => {
  expect(sloReportOf(text)).toBeNull()
})

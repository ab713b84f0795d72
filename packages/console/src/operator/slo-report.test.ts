import { expect, it } from 'vitest'
import { sloReportOf } from './slo-report.ts'

const alert = { alert: 'availability-fast', subject: 'append', since: 1, text: 'burns' }

it('a report of scripts/slo is read, and nothing else', () => {
  const report = { rows: 3, alerts: [alert], past: [{ ...alert, until: 2 }] }
  expect(sloReportOf(JSON.stringify(report))).toEqual(report)
  for (const other of ['', '[]', '{}', 'null', '{"rows":1,"alerts":[1],"past":[]}', '{"rows":1,"alerts":[],"past":{}}'])
    expect(sloReportOf(other), other).toBeNull()
})

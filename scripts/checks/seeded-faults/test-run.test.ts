import { expect, it } from 'vitest'
import { readReport } from './test-run.ts'

const file = (name: string, status: string, ...tests: string[]) => ({
  name: `/tree/${name}`,
  status,
  assertionResults: tests.map((test) => ({ status: test, fullName: `${name} ${test}` })),
})

it('counts tests that ran and names those that failed', () => {
  const report = { testResults: [file('a.test.ts', 'failed', 'passed', 'failed', 'skipped')] }
  const failed = [{ file: 'a.test.ts', test: 'a.test.ts failed' }]
  expect(readReport(report, '/tree')).toEqual({ tests: 2, failed, unloadable: [], problem: null })
})

it('tells a file that does not load from one whose hook failed', () => {
  const report = { testResults: [file('a.test.ts', 'failed'), file('b.test.ts', 'failed', 'skipped')] }
  const failed = [{ file: 'b.test.ts', test: '(a hook of the file)' }]
  expect(readReport(report, '/tree')).toEqual({ tests: 0, failed, unloadable: ['a.test.ts'], problem: null })
})

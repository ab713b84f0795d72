import { expect, it } from 'vitest'
import { type MutationReport, resultOf, unexplained } from './results.ts'

const at = (line: number, from: number, to: number) => ({
  start: { line, column: from },
  end: { line, column: to },
})
const REPORT: MutationReport = {
  files: {
    'a/rules.ts': {
      source: 'if (now > end) return\nif (x && y) return\n',
      mutants: [
        { status: 'Killed', location: at(1, 5, 14), replacement: 'true' },
        { status: 'Timeout', location: at(1, 5, 14), replacement: 'false' },
        { status: 'Survived', location: at(1, 5, 14), replacement: 'now >= end' },
        { status: 'NoCoverage', location: at(2, 5, 11), replacement: 'x || y' },
        { status: 'CompileError', location: at(2, 5, 11), replacement: 'x' },
      ],
    },
  },
}

it('counts what the tests notice, and names what they do not', () => {
  expect(resultOf(REPORT, 'a/rules.ts')).toEqual({
    file: 'a/rules.ts',
    mutants: 4,
    killed: 2,
    alive: [
      { file: 'a/rules.ts', line: 1, from: 'now > end', to: 'now >= end' },
      { file: 'a/rules.ts', line: 2, from: 'x && y', to: 'x || y' },
    ],
  })
  expect(resultOf(REPORT, 'b/rules.ts')).toMatchObject({ mutants: 0, killed: 0, alive: [] })
})

it('asks for a reason for each that lives', () => {
  const known = { file: 'a/rules.ts', from: 'x && y', to: 'x || y', because: 'y is always true' }
  const left = unexplained(resultOf(REPORT, 'a/rules.ts'), [known])
  expect(left.map(({ to }) => to)).toEqual(['now >= end'])
  expect(unexplained(resultOf(REPORT, 'a/rules.ts'), [{ ...known, file: 'b' }])).toHaveLength(2)
})

import { expect, it } from 'vitest'
import { type MutationReport, resultOf, settledOf, unexplained } from './results.ts'

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
      {
        file: 'a/rules.ts',
        line: 1,
        lineText: 'if (now > end) return',
        from: 'now > end',
        to: 'now >= end',
        call: '',
        argumentsBefore: '',
      },
      expect.objectContaining({ line: 2, from: 'x && y', to: 'x || y' }),
    ],
  })
  expect(resultOf(REPORT, 'b/rules.ts')).toMatchObject({ mutants: 0, killed: 0, alive: [] })
})

it('asks for a reason for each that lives', () => {
  const known = { file: 'a/rules.ts', from: 'x && y', to: 'x || y', because: 'y is always true' }
  const left = unexplained(resultOf(REPORT, 'a/rules.ts'), [known])
  expect(left.map(({ to }) => to)).toEqual(['now >= end'])
  for (const other of [{ file: 'b' }, { from: 'x' }, { to: 'x' }, { on: 'elsewhere' }])
    expect(unexplained(resultOf(REPORT, 'a/rules.ts'), [{ ...known, ...other }])).toHaveLength(2)
  expect(unexplained(resultOf(REPORT, 'a/rules.ts'), [{ ...known, on: '&& y) return' }])).toHaveLength(1)
})

it('tries again what lives without a reason', () => {
  const known = { file: 'a/rules.ts', from: 'x && y', to: 'x || y', because: 'y is always true' }
  const kept = (survivors: readonly (typeof known)[]) =>
    settledOf(REPORT, 'a/rules.ts', survivors).files['a/rules.ts']?.mutants.map(({ replacement }) => replacement)
  expect(kept([])).toEqual(['true', 'false', 'x'])
  expect(kept([known])).toEqual(['true', 'false', 'x || y', 'x'])
  expect(settledOf(REPORT, 'a/rules.ts', [known]).files['a/rules.ts']).toMatchObject({
    source: 'if (now > end) return\nif (x && y) return\n',
  })
})

it('names the call that a mutant is in, and the arguments before it', () => {
  const source = "z.string().max(3).meta({ example: f(1), id: 'Name' })"
  const location = at(1, source.indexOf("'Name'") + 1, source.indexOf("'Name'") + 7)
  const files = { 'a.ts': { source, mutants: [{ status: 'Survived', location, replacement: '""' }] } }
  expect(resultOf({ files }, 'a.ts').alive).toMatchObject([
    { from: "'Name'", call: 'meta', argumentsBefore: '{ example: f(1), id: ' },
  ])
})

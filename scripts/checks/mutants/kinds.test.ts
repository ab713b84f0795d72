import { describe, expect, it } from 'vitest'
import { resultOf, unexplained } from './results.ts'

/** The number of mutants without a reason when `from`, in this code, becomes `to`. */
function leftOf(source: string, from: string, to: string): number {
  const before = source.slice(0, source.indexOf(from)).split('\n')
  const start = { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
  const lines = from.split('\n')
  const end = {
    line: start.line + lines.length - 1,
    column: (lines.length === 1 ? start.column : 1) + (lines.at(-1)?.length ?? 0),
  }
  const mutants = [{ status: 'Survived', location: { start, end }, replacement: to }]
  const result = resultOf({ files: { 'a.ts': { source, mutants } } }, 'a.ts')
  expect(result.alive).toMatchObject([{ from, to }])
  return unexplained(result, []).length
}

const EXAMPLE = `\`x:\${'a'.repeat(1)}\``
const DOCUMENTED = `z.string().regex(/^a$/, 'must be a (one)').meta({ id: 'A', description: 'One a', example: ${EXAMPLE} })`
const VALUE = `\`too long: \${5}\``

describe('mutants that need no reason of their own', () => {
  it.each([
    ['what documents a schema', DOCUMENTED, "'One a'", '""'],
    ['its name', DOCUMENTED, "'A'", '""'],
    ['its example', DOCUMENTED, EXAMPLE, '``'],
    ['part of its example', DOCUMENTED, "'a'", '""'],
    ['all that documents it', "s.meta({ id: 'A', example: 1_000 })", "{ id: 'A', example: 1_000 }", '{}'],
    ['the same on lines', "s.meta({\n  id: 'A',\n})", "{\n  id: 'A',\n}", '{}'],
    ['the second line of a description', "s.meta({\n  description:\n    'One ' +\n    'two',\n})", "'two'", '""'],
    ['all of both lines', "s.meta({ description: 'One ' + 'two' })", "{ description: 'One ' + 'two' }", '{}'],
    ['words of a refusal', DOCUMENTED, "'must be a (one)'", '""'],
    ['words of an error', "throw new RangeError('too long: 5')", "'too long: 5'", '""'],
    ['the same with a value', `throw new LogFault(${VALUE})`, VALUE, '``'],
  ])('%s', (_, source, from, to) => expect(leftOf(source, from, to)).toBe(0))
})

describe('mutants that need one', () => {
  it.each([
    ['a pattern', "s.meta({ pattern: '^a$' })", "'^a$'", '""'],
    ['all of a schema with a pattern', "s.meta({ id: 'A', pattern: 'a' })", "{ id: 'A', pattern: 'a' }", '{}'],
    ['the same members elsewhere', "sign({ id: 'A' })", "'A'", '""'],
    ['all of them elsewhere', "sign({ id: 'A' })", "{ id: 'A' }", '{}'],
    ['a member of a member of them', "s.meta({ other: { use: 'x' }, id: f('A') })", "'A'", '""'],
    ['other text', "s.meta({ id: 'A' })", "'A'", '"B"'],
    ['a regular expression', DOCUMENTED, '/^a$/', '/^a/'],
    ['what a refinement compares', "s.refine((x) => x !== 'a b', 'no')", "'a b'", '""'],
    ['a code of an error', "throw new CallError('too_long')", "'too_long'", '""'],
    ['a second argument of an error', "throw new CallError('x', 'a b')", "'a b'", '""'],
    ['text that is returned', "err('a b')", "'a b'", '""'],
  ])('%s', (_, source, from, to) => expect(leftOf(source, from, to)).toBe(1))
})

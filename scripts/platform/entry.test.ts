import { afterEach, expect, it, vi } from 'vitest'
import { runEntry, UsageError, wholeNumber } from './entry.ts'
import { SetupError } from './workspace.ts'

const argv = process.argv
afterEach(() => {
  process.argv = argv
  process.exitCode = undefined
})

async function outcome(args: readonly string[], run: (count: string) => unknown) {
  const printed: unknown[] = []
  for (const method of ['log', 'error'] as const)
    vi.spyOn(console, method).mockImplementation((line: unknown) => void printed.push(line))
  process.argv = ['node', 'entry.ts', ...args]
  const options = { count: { type: 'string', default: '1' } } as const
  await runEntry({
    name: 'scripts/entry',
    help: 'Usage: scripts/entry',
    options,
    run: ({ values }) => run(values.count),
  })
  return { code: process.exitCode, printed }
}

it.each([
  ['an unknown option', ['--size'], "Unknown option '--size'"],
  ['an option without its value', ['--count'], "Option '--count <value>' argument missing"],
  ['an unexpected operand', ['two'], "Unexpected argument 'two'"],
])('answers %s with one line and status 2', async (_, args, fault) => {
  const { code, printed } = await outcome(args, () => 0)
  expect(code).toBe(2)
  expect(printed).toEqual([`${fault}; scripts/entry --help lists the options.`])
})

it.each(['-MDYxrvDCwpdRNMZLn0Tiw', '--DYxrvDCwpdRNMZLn0Tiw'])('takes %s for an id, and no option', async (id) => {
  process.argv = ['node', 'entry.ts', 'show', id, '--over', id]
  const run = vi.fn()
  const options = { over: { type: 'string' } } as const
  await runEntry({ name: 'scripts/entry', help: '', options, operands: true, run })
  expect(run).toHaveBeenCalledWith(
    expect.objectContaining({ positionals: ['show', id], values: { over: id, help: false } }),
  )
})

it('prints the help without running', async () => {
  const run = vi.fn()
  expect(await outcome(['--help'], run)).toEqual({ code: 0, printed: ['Usage: scripts/entry'] })
  expect(run).not.toHaveBeenCalled()
})

it('uses the returned exit status', async () => {
  expect(await outcome([], () => Promise.resolve(3))).toMatchObject({ code: 3 })
  expect(await outcome([], () => undefined)).toMatchObject({ code: 0 })
})

it('distinguishes usage errors, setup errors and bugs', async () => {
  const bug = new Error('bug')
  const thrown = (error: Error) =>
    outcome([], () => {
      throw error
    })
  expect(await thrown(new UsageError('No'))).toEqual({
    code: 2,
    printed: ['No; scripts/entry --help lists the options.'],
  })
  expect(await thrown(new SetupError('No token.'))).toEqual({ code: 1, printed: ['No token.'] })
  expect(await thrown(bug)).toEqual({ code: 1, printed: [bug] })
  expect(await thrown(new TypeError('fetch failed', { cause: new Error('refused') }))).toEqual({
    code: 1,
    printed: ['fetch failed: refused'],
  })
})

it('reads whole numbers within a range', () => {
  expect(wholeNumber('--count', '12', { from: 1, to: 12 })).toBe(12)
  for (const text of ['0', '13', '-1', '1.5', '1e1', '', ' 2', 'x'])
    expect(() => wholeNumber('--count', text, { from: 1, to: 12 })).toThrow('--count takes a whole number from 1 to 12')
  expect(() => wholeNumber('--count', 'x')).toThrow('--count takes a whole number, 0 or more')
})

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Environment } from './environment.ts'
import { Output } from './output.ts'
import { guarded } from './terminal.ts'

const FAILURE = { exitCode: 5, code: 'refused', message: 'No', next: 'wait', page: '/developer/cli' } as const
const RESULT = { data: { a: 1 }, text: 'one' }

/** What is written, by an output with these options. */
function written(given: Partial<Environment> & { readonly json?: boolean; readonly quiet?: boolean } = {}) {
  const [out, err]: [string[], string[]] = [[], []]
  const { json = false, quiet = false, ...own } = given
  const environment = {
    stdout: (text: string) => void out.push(text),
    stderr: (text: string) => void err.push(text),
    variables: {},
    isTerminal: false,
    hasColours: false,
    errorsHaveColours: false,
    ...own,
  } as unknown as Environment
  return { out, err, output: new Output(guarded(environment), { json, quiet, dryRun: false }) }
}

describe('colours', () => {
  it.each([
    ['at a terminal', {}, true],
    ['with NO_COLOR', { NO_COLOR: '1' }, false],
    ['with an empty NO_COLOR', { NO_COLOR: '' }, true],
  ])('%s', (_, variables, expected) => {
    const { err, output } = written({ hasColours: true, errorsHaveColours: true, variables })
    output.failure(FAILURE)
    expect([err.join('').includes('\u001B'), output.colours.green('x') !== 'x']).toEqual([expected, expected])
  })

  it('are left out of errors that go to a file, and of results that do', () => {
    const errors = written({ hasColours: true })
    errors.output.failure(FAILURE)
    expect(errors.err).toEqual(['error: No. Next: wait. See /developer/cli\n'])
    expect(written({ errorsHaveColours: true }).output.colours.green('x')).toBe('x')
  })
})

describe('with --quiet', () => {
  it('only failures are printed', () => {
    const { out, err, output } = written({ quiet: true, isTerminal: true })
    output.result(RESULT)
    output.note('Something')
    output.progress('1 of 2')
    expect([out, err]).toEqual([[], []])
    output.failure(FAILURE)
    expect(err).toHaveLength(1)
  })

  it('or with --json notes are left out: a script reads JSON alone', () => {
    const { out, err, output } = written({ json: true })
    output.note('Something')
    expect([out, err]).toEqual([[], []])
    output.failure(FAILURE)
    expect(JSON.parse(err.join(''))).toEqual({ error: FAILURE })
  })

  it('--json still prints the result', () => {
    const { out, output } = written({ quiet: true, json: true })
    output.result(RESULT)
    expect(JSON.parse(out.join(''))).toEqual({ a: 1 })
  })
})

describe('work of more than a second', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())
  const work = async (output: Output, ms: number) => {
    const done = output.during('svc chain verify', () => new Promise<void>((end) => setTimeout(end, ms)))
    await vi.advanceTimersByTimeAsync(ms)
    await done
  }

  it('says what it does at a terminal, and wipes it out at the end', async () => {
    const { err, output } = written({ isTerminal: true })
    await work(output, 999)
    expect(err).toEqual([])
    await work(output, 1500)
    expect(err[0]).toBe('svc chain verify …')
    expect(err.at(-1)).toBe(`\r${' '.repeat(18)}\r`)
  })

  it('says nothing without a terminal', async () => {
    const { err, output } = written()
    await work(output, 1500)
    expect(err).toEqual([])
  })
})

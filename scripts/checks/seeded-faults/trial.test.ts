import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Fault } from './fault.ts'
import type { Selection, TestRun } from './test-run.ts'
import { tryFault, withControl } from './trial.ts'

const FAULT: Fault = {
  id: 'open-door',
  about: 'The door stays open',
  edits: [{ find: 'close()', replace: '' }],
  projects: ['near', 'far'],
  tests: ['door'],
}
const SOURCES = [{ path: 'door.ts', text: 'close()\n' }]
const PASSED: TestRun = { tests: 3, failed: [], unloadable: [], problem: null }
const FAILED: TestRun = { ...PASSED, failed: [{ file: 'door.test.ts', test: 'closes' }] }

let copy: string
beforeEach(() => {
  copy = mkdtempSync(join(tmpdir(), 'trial-'))
  writeFileSync(join(copy, 'door.ts'), 'close()\n')
})
afterEach(() => rmSync(copy, { recursive: true }))

/** Answers each run in turn, and notes what was selected and what the code was. */
function runner(...answers: TestRun[]) {
  const runs: { selection: Selection; code: string }[] = []
  const run = async (tree: string, selection: Selection) => {
    runs.push({ selection, code: readFileSync(join(tree, 'door.ts'), 'utf8') })
    return answers[runs.length - 1] ?? PASSED
  }
  return { run, runs }
}

describe('a fault', () => {
  it('is caught by the hinted tests, while it is in the code, and taken out again', async () => {
    const { run, runs } = runner(FAILED)
    const found = await tryFault(copy, FAULT, SOURCES, run)
    expect(found).toMatchObject({ id: 'open-door', verdict: 'caught', by: { file: 'door.test.ts', test: 'closes' } })
    expect(runs).toEqual([{ selection: { projects: ['near', 'far'], files: ['door'], bail: true }, code: '\n' }])
    expect(readFileSync(join(copy, 'door.ts'), 'utf8')).toBe('close()\n')
  })

  it('is missed once every project has run whole', async () => {
    const { run, runs } = runner()
    expect(await tryFault(copy, FAULT, SOURCES, run)).toMatchObject({ verdict: 'missed', by: null })
    expect(runs.map(({ selection }) => selection)).toEqual([
      { projects: ['near', 'far'], files: ['door'], bail: true },
      { projects: ['near'], files: [], bail: true },
      { projects: ['far'], files: [], bail: true },
    ])
  })

  it('is not caught by code that does not load, nor by a run without a result', async () => {
    const unloadable = { ...PASSED, unloadable: ['door.test.ts'] }
    expect(await tryFault(copy, FAULT, SOURCES, runner(unloadable).run)).toMatchObject({ verdict: 'unloadable' })
    const stuck = { ...PASSED, problem: 'too late' }
    expect(await tryFault(copy, FAULT, SOURCES, runner(stuck).run)).toMatchObject({ verdict: 'undecided' })
  })

  it('is taken out when the run throws', async () => {
    const broken = async () => Promise.reject(new Error('no vitest'))
    await expect(tryFault(copy, FAULT, SOURCES, broken)).rejects.toThrow('no vitest')
    expect(readFileSync(join(copy, 'door.ts'), 'utf8')).toBe('close()\n')
  })
})

describe('the control run', () => {
  const caught = {
    id: 'open-door',
    about: '',
    verdict: 'caught',
    by: FAILED.failed[0] ?? null,
    problem: null,
    seconds: 1,
  } as const

  it('runs the catching files without any fault', async () => {
    const { run, runs } = runner(PASSED)
    expect(await withControl(copy, [caught], [FAULT], run)).toEqual([caught])
    expect(runs).toEqual([
      { selection: { projects: ['near', 'far'], files: ['door.test.ts'], bail: false }, code: 'close()\n' },
    ])
  })

  it('takes back what a test caught that fails anyway', async () => {
    expect(await withControl(copy, [caught], [FAULT], runner(FAILED).run)).toMatchObject([{ verdict: 'unreliable' }])
    const unloadable = { ...PASSED, unloadable: ['door.test.ts'] }
    expect(await withControl(copy, [caught], [FAULT], runner(unloadable).run)).toMatchObject([
      { verdict: 'unreliable' },
    ])
  })

  it('is left out where nothing was caught', async () => {
    const { run, runs } = runner()
    expect(await withControl(copy, [], [FAULT], run)).toEqual([])
    expect(runs).toEqual([])
  })
})

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Fault } from './fault.ts'
import type { Selection, TestRun } from './test-run.ts'
import { tryFault, withControl } from './trial.ts'

const FAULT: Fault = { id: 'open-door', promise: 'The door is closed.', find: 'close()', replace: '', tests: ['door'] }
const sources = [{ path: 'door.ts', text: 'close()\n' }]
const [NEAR, FAR] = ['near', 'far'].map((config): Selection => ({ config, files: [], bail: true }))
const plan = () => [NEAR, FAR].filter((one) => one !== undefined)
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
  it('is caught by the first test that fails, and fails again, while it is in the code, and taken out again', async () => {
    const { run, runs } = runner(FAILED, FAILED)
    const by = { file: 'door.test.ts', test: 'closes', config: 'near' }
    expect(await tryFault(copy, FAULT, { sources, plan, run })).toMatchObject({
      id: 'open-door',
      verdict: 'caught',
      by,
    })
    expect(runs).toEqual([
      { selection: NEAR, code: '\n' },
      { selection: { config: 'near', files: ['door.test.ts'], bail: false }, code: '\n' },
    ])
    expect(readFileSync(join(copy, 'door.ts'), 'utf8')).toBe('close()\n')
  })

  it('is not caught by a test that fails by chance: the run that ended at it is begun again', async () => {
    const { run, runs } = runner(FAILED, PASSED, FAILED, FAILED)
    expect(await tryFault(copy, FAULT, { sources, plan, run })).toMatchObject({ verdict: 'caught' })
    expect(runs).toHaveLength(4)
    const never = runner(FAILED, PASSED, FAILED, PASSED, FAILED, PASSED)
    expect(await tryFault(copy, FAULT, { sources, plan, run: never.run })).toMatchObject({
      verdict: 'missed',
      problem: expect.stringContaining('door.test.ts: closes failed once, and then passed'),
    })
    expect(never.runs).toHaveLength(7)
  })

  it('is missed once everything planned has passed', async () => {
    const { run, runs } = runner()
    expect(await tryFault(copy, FAULT, { sources, plan, run })).toMatchObject({ verdict: 'missed', by: null })
    expect(runs.map(({ selection }) => selection)).toEqual([NEAR, FAR])
  })

  it('is not caught by code that does not load, nor by a run without a result', async () => {
    const verdictOf = async (answer: TestRun) =>
      (await tryFault(copy, FAULT, { sources, plan, run: runner(answer).run })).verdict
    expect(await verdictOf({ ...PASSED, unloadable: ['door.test.ts'] })).toBe('unloadable')
    expect(await verdictOf({ ...PASSED, problem: 'too late' })).toBe('undecided')
  })

  it('is taken out when the run throws', async () => {
    const run = async () => Promise.reject(new Error('no vitest'))
    await expect(tryFault(copy, FAULT, { sources, plan, run })).rejects.toThrow('no vitest')
    expect(readFileSync(join(copy, 'door.ts'), 'utf8')).toBe('close()\n')
  })
})

describe('the control run', () => {
  const by = { file: 'door.test.ts', test: 'closes', config: 'near' }
  const caught = { id: 'open-door', verdict: 'caught', by, problem: null, seconds: 1 } as const

  it('runs the catching files of each project without any fault', async () => {
    const { run, runs } = runner()
    const far = { ...caught, by: { ...by, config: 'far' } }
    expect(await withControl(copy, [caught, far], run)).toEqual([caught, far])
    const files = ['door.test.ts']
    expect(runs).toEqual([
      { selection: { config: 'near', files, bail: false }, code: 'close()\n' },
      { selection: { config: 'far', files, bail: false }, code: 'close()\n' },
    ])
  })

  it('takes back what a test caught that fails anyway', async () => {
    expect(await withControl(copy, [caught], runner(FAILED).run)).toMatchObject([{ verdict: 'unreliable' }])
    const unloadable = { ...PASSED, unloadable: ['door.test.ts'] }
    expect(await withControl(copy, [caught], runner(unloadable).run)).toMatchObject([{ verdict: 'unreliable' }])
  })

  it('is left out where nothing was caught', async () => {
    const { run, runs } = runner()
    expect(await withControl(copy, [], run)).toEqual([])
    expect(runs).toEqual([])
  })
})

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Fault } from './fault.ts'
import { type Seeded, type SourceFile, seed } from './locate.ts'
import { type FailedTest, runTests, type Selection, type TestRun } from './test-run.ts'

/**
 * `caught` by a test that ran and failed. `unloadable`: the fault breaks the code before any test runs, so it says
 * nothing about the tests. `undecided`: vitest came to no result. `unreliable`: the test fails without the fault, too.
 * `absent`: another checkout does not have the code.
 */
export type Verdict = 'caught' | 'missed' | 'unloadable' | 'undecided' | 'unreliable' | 'absent'

export interface Outcome {
  readonly id: string
  readonly about: string
  readonly verdict: Verdict
  readonly by: FailedTest | null
  readonly problem: string | null
  readonly seconds: number
}

export type RunTests = (tree: string, selection: Selection) => Promise<TestRun>

/** Seeds one fault in a copy, runs the tests that it can affect, and takes it out again. */
export async function tryFault(
  copy: string,
  fault: Fault,
  sources: readonly SourceFile[],
  run: RunTests = runTests,
): Promise<Outcome> {
  const startedAt = performance.now()
  const seeded: Seeded = seed(fault, sources)
  const path = join(copy, seeded.path)
  writeFileSync(path, seeded.changed)
  try {
    const found = await firstFailure(copy, fault, run)
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    return { id: fault.id, about: fault.about, ...found, seconds }
  } finally {
    writeFileSync(path, seeded.original)
  }
}

/** The hints first, then each project whole. */
async function firstFailure(
  copy: string,
  { projects, tests = [] }: Fault,
  run: RunTests,
): Promise<Pick<Outcome, 'verdict' | 'by' | 'problem'>> {
  const whole = projects.map((project): Selection => ({ projects: [project], files: [], bail: true }))
  const stages: Selection[] = tests.length > 0 ? [{ projects, files: tests, bail: true }, ...whole] : whole
  const unloadable: string[] = []
  const problems: string[] = []
  for (const stage of stages) {
    const result = await run(copy, stage)
    const [by] = result.failed
    if (by) return { verdict: 'caught', by, problem: null }
    unloadable.push(...result.unloadable)
    if (result.problem !== null) problems.push(result.problem)
  }
  if (unloadable.length > 0) return { verdict: 'unloadable', by: null, problem: unloadable.slice(0, 3).join(', ') }
  if (problems.length > 0) return { verdict: 'undecided', by: null, problem: problems.join('\n') }
  return { verdict: 'missed', by: null, problem: null }
}

/** Runs what has caught something once more without any fault: a test that fails anyway has caught nothing. */
export async function withControl(
  copy: string,
  outcomes: readonly Outcome[],
  faults: readonly Fault[],
  run: RunTests = runTests,
): Promise<Outcome[]> {
  const caught = outcomes.filter(({ verdict }) => verdict === 'caught')
  if (caught.length === 0) return [...outcomes]
  const projects = new Set(
    faults.filter(({ id }) => caught.some((one) => one.id === id)).flatMap((one) => one.projects),
  )
  const files = new Set(caught.flatMap(({ by }) => (by ? [by.file] : [])))
  const control = await run(copy, { projects: [...projects], files: [...files], bail: false })
  if (control.problem !== null) throw new Error(`the control run came to no result: ${control.problem}`)
  const isWrong = (by: FailedTest | null) =>
    control.unloadable.includes(by?.file ?? '') ||
    control.failed.some(({ file, test }) => file === by?.file && test === by.test)
  return outcomes.map((one) => (one.verdict === 'caught' && isWrong(one.by) ? { ...one, verdict: 'unreliable' } : one))
}

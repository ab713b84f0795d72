import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Fault } from './fault.ts'
import { type Seeded, type SourceFile, seed } from './locate.ts'
import { type FailedTest, runTests, type Selection, type TestRun } from './test-run.ts'

/**
 * `caught` by a test that ran and failed. `unloadable`: the fault breaks the code before any test runs, so it says
 * nothing about the tests. `undecided`: vitest came to no result. `unreliable`: the test fails without the fault, too.
 */
export type Verdict = 'caught' | 'missed' | 'unloadable' | 'undecided' | 'unreliable'

export interface Outcome {
  readonly id: string
  readonly verdict: Verdict
  readonly by: Catch | null
  readonly problem: string | null
  readonly seconds: number
}

/** The test that failed, and the project it belongs to. */
export interface Catch extends FailedTest {
  readonly config: string
}

/** A run that ends at a test that fails by chance is begun again so often. */
const ROUNDS = 3

export type RunTests = (tree: string, selection: Selection) => Promise<TestRun>

/** What a fault in this file is tried with, in this order. */
export type Plan = (fault: Fault, path: string) => readonly Selection[]

/** Seeds one fault in a copy, runs tests until one fails, and takes it out again. */
export async function tryFault(
  copy: string,
  fault: Fault,
  { sources, plan, run = runTests }: { sources: readonly SourceFile[]; plan: Plan; run?: RunTests },
): Promise<Outcome> {
  const startedAt = performance.now()
  const seeded: Seeded = seed(fault, sources)
  const path = join(copy, seeded.path)
  writeFileSync(path, seeded.changed)
  try {
    const found = await firstFailure(copy, plan(fault, seeded.path), run)
    return { id: fault.id, ...found, seconds: Math.round((performance.now() - startedAt) / 1000) }
  } finally {
    writeFileSync(path, seeded.original)
  }
}

async function firstFailure(
  copy: string,
  selections: readonly Selection[],
  run: RunTests,
): Promise<Pick<Outcome, 'verdict' | 'by' | 'problem'>> {
  const unloadable: string[] = []
  const problems: string[] = []
  const unsteady: string[] = []
  for (const selection of selections) {
    for (let round = 0; round < ROUNDS; round++) {
      const result = await run(copy, selection)
      unloadable.push(...result.unloadable)
      if (result.problem !== null) problems.push(result.problem)
      const [by] = result.failed
      if (!by) break
      if (await failsAgain(copy, by, selection.config, run))
        return { verdict: 'caught', by: { ...by, config: selection.config }, problem: null }
      unsteady.push(`${by.file}: ${by.test} failed once, and then passed`)
    }
  }
  if (unloadable.length > 0) return { verdict: 'unloadable', by: null, problem: unloadable.slice(0, 3).join(', ') }
  if (problems.length > 0) return { verdict: 'undecided', by: null, problem: problems.join('\n') }
  return { verdict: 'missed', by: null, problem: unsteady.length > 0 ? unsteady.join('\n') : null }
}

/** A test that fails by chance has noticed nothing: the one that failed must fail again in a run of its file alone. */
async function failsAgain(copy: string, { file, test }: FailedTest, config: string, run: RunTests): Promise<boolean> {
  const { failed } = await run(copy, { config, files: [file], bail: false })
  return failed.some((one) => one.file === file && one.test === test)
}

/** Runs what has caught something once more without any fault: a test that fails anyway has caught nothing. */
export async function withControl(
  copy: string,
  outcomes: readonly Outcome[],
  run: RunTests = runTests,
): Promise<Outcome[]> {
  const catches = outcomes.flatMap(({ verdict, by }) => (verdict === 'caught' && by ? [by] : []))
  const wrong = new Set<string>()
  for (const [config, found] of Map.groupBy(catches, (by) => by.config)) {
    const files = [...new Set(found.map(({ file }) => file))]
    const control = await run(copy, { config, files, bail: false })
    if (control.problem !== null) throw new Error(`the control run came to no result: ${control.problem}`)
    for (const { file, test } of found)
      if (control.unloadable.includes(file) || control.failed.some((one) => one.file === file && one.test === test))
        wrong.add(`${file}: ${test}`)
  }
  const isWrong = (by: Catch | null) => by !== null && wrong.has(`${by.file}: ${by.test}`)
  return outcomes.map((one) => (one.verdict === 'caught' && isWrong(one.by) ? { ...one, verdict: 'unreliable' } : one))
}

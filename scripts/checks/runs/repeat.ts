import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '@svc/platform/workspace'
import { cleanCommit, keepResult, readResults } from './kept-results.ts'
import { printStep } from './run-all.ts'
import { runSteps, type Step } from './step-runner.ts'

const FOLDER = join(ROOT, '.state')
const FILE = join(FOLDER, 'repeated-tests.json')

/**
 * Runs each step so often, and names those that failed even once. Results on a clean commit are kept, so that an
 * interrupted command continues. The output of a run that failed stays in a file.
 */
export async function repeat(steps: readonly Step[], times: number, lanes: number): Promise<number> {
  const commit = await cleanCommit()
  const runs = Array.from({ length: times }, (_, round) => steps.filter((step) => doneOf(step, commit) <= round)).flat()
  const width = Math.max(...steps.map(({ name }) => name.length)) + 2
  const failures = new Set(commit === null ? [] : failedOn(commit, steps))
  await runSteps(runs, undefined, lanes, (finished) => {
    printStep(finished, width)
    const { name, passed, failed, seconds, cpuSeconds, output } = finished
    if (failed > 0) {
      failures.add(name)
      mkdirSync(FOLDER, { recursive: true })
      writeFileSync(join(FOLDER, `repeated-${name}-${Date.now()}.log`), output)
    }
    if (commit !== null)
      keepResult({ step: name, commit, passed, failed, seconds, cpuSeconds, endedAt: Date.now() }, FILE)
  })
  for (const name of failures)
    console.log(`${name} failed at least once; its output is in .state/repeated-${name}-*.log`)
  const steady = steps.length - failures.size
  console.log(`\n${steady} passed, ${failures.size} failed`)
  return failures.size > 0 ? 1 : 0
}

function doneOf({ name }: Step, commit: string | null): number {
  return readResults(FILE).filter((result) => result.step === name && result.commit === commit).length
}

function failedOn(commit: string, steps: readonly Step[]): string[] {
  const failed = readResults(FILE).filter((result) => result.commit === commit && result.failed > 0)
  return failed.map(({ step }) => step).filter((name) => steps.some((step) => step.name === name))
}

import type { Affected } from '../changes/affected.ts'
import { captureMeasured } from './measured-command.ts'

export interface Outcome {
  passed: number
  failed: number
  /** Shown only after a failure. */
  output: string
  /** The names of the tests that failed, with their files. */
  failures?: readonly string[]
  cpuSeconds: number
  /** Shown beside the result. */
  note?: string
}

/** A change and what it can affect. */
export interface Change extends Affected {
  readonly changed: readonly string[]
}

export interface Step {
  readonly name: string
  readonly about: string
  /** Why it runs with `--full` alone. Without it, the step is a part of every run. */
  readonly long?: string
  /** The test files that a long step runs; other tests cannot change its outcome. Without it, any file can. */
  readonly ownTests?: RegExp
  /** Whether a change can affect the step. Without it, the step runs for every change. */
  readonly isAffectedBy?: (change: Change) => boolean
  /** With a change, runs only what it can affect. */
  readonly run: (change?: Change) => Promise<Outcome>
}

export interface Finished extends Outcome {
  name: string
  seconds: number
}

/** Runs a command that counts as one check. */
export async function captureCheck(
  command: string,
  args: readonly string[],
  env?: Readonly<Record<string, string>>,
): Promise<Outcome> {
  const { code, output, cpuSeconds } = await captureMeasured(command, args, env)
  return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, output, cpuSeconds }
}

/** The outcome of several runs as one. */
export function together(outcomes: readonly Outcome[]): Outcome {
  const sum = (of: (outcome: Outcome) => number) => outcomes.reduce((total, outcome) => total + of(outcome), 0)
  return {
    passed: sum(({ passed }) => passed),
    failed: sum(({ failed }) => failed),
    output: outcomes.map(({ output }) => output).join('\n'),
    failures: outcomes.flatMap(({ failures = [] }) => failures),
    cpuSeconds: sum(({ cpuSeconds }) => cpuSeconds),
  }
}

/** Starts the steps in order, at most `lanes` at a time. */
export async function runSteps(
  steps: readonly Step[],
  change: Change | undefined,
  lanes: number,
  onFinished: (finished: Finished) => void,
): Promise<void> {
  const waiting = [...steps]
  const lane = async () => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      const begun = performance.now()
      const outcome = await step.run(change)
      onFinished({ name: step.name, seconds: (performance.now() - begun) / 1000, ...outcome })
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

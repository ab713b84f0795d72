import { capture } from '@svc/platform/command'
import type { Affected } from './changes/affected.ts'

export interface Outcome {
  passed: number
  failed: number
  /** Shown only after a failure. */
  output: string
  /** Shown beside the result. */
  note?: string
}

/** A change and what it can affect. */
export interface Change extends Affected {
  readonly changed: readonly string[]
}

export interface Step {
  name: string
  about: string
  /** Takes too long for every change: runs with `--full` only. */
  isLong?: boolean
  /** Whether a change can affect the step. Without it, the step runs for every change. */
  isAffectedBy?: (change: Change) => boolean
  /** With a change, runs only what it can affect. */
  run: (change?: Change) => Promise<Outcome>
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
  const { code, output } = await capture(command, args, env)
  return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, output }
}

/** Starts the steps in order, at most `lanes` at a time. */
export async function runSteps(
  steps: readonly Step[],
  change: Change | undefined,
  lanes: number,
  onFinished: (finished: Finished) => void,
): Promise<Finished[]> {
  const waiting = [...steps]
  const finished: Finished[] = []
  const lane = async () => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      const begun = performance.now()
      const outcome = await step.run(change)
      const result = { name: step.name, seconds: (performance.now() - begun) / 1000, ...outcome }
      finished.push(result)
      onFinished(result)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return finished
}

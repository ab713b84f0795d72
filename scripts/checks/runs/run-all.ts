import { styleText } from 'node:util'
import { CPU_BUDGETS, isBusy, slowness } from './cpu-budget.ts'
import { cleanCommit, keepResult } from './kept-results.ts'
import { type Change, type Finished, runSteps, type Step } from './step-runner.ts'

interface Way {
  /** How many steps run at a time. */
  readonly lanes: number
  readonly change?: Change
  /** Whether the results are kept for `--full` and `--report`. */
  readonly keeps?: boolean
  /** Whether a step that uses more CPU than its budget fails. */
  readonly budgets?: boolean
}

/** Runs the steps, prints each as it ends, and returns the exit status. */
export async function runAll(steps: readonly Step[], { lanes, change, keeps, budgets }: Way): Promise<number> {
  const begun = performance.now()
  const width = Math.max(0, ...steps.map(({ name }) => name.length)) + 2
  const commit = keeps === true ? await cleanCommit() : null
  const judges = budgets === true && !isBusy()
  if (budgets === true && !judges) console.log('Other work keeps this machine busy: CPU budgets are not judged.\n')
  const factor = judges ? slowness() : null
  const finished: Finished[] = []
  await runSteps(steps, change, lanes, (step) => {
    const judged = factor === null ? step : withinBudget(step, factor)
    if (commit !== null && step.note === undefined) keep(judged, commit)
    printStep(judged, width)
    finished.push(judged)
  })
  const sum = (of: (step: Finished) => number) => finished.reduce((total, step) => total + of(step), 0)
  const unsuccessful = finished.filter((step) => step.failed > 0)
  const seconds = (performance.now() - begun) / 1000
  console.log(`\n${seconds.toFixed(0)} s, ${sum(({ cpuSeconds }) => cpuSeconds).toFixed(0)} CPU s`)
  // Last, too: a log that is cut short keeps its end.
  for (const { name, failures = [] } of unsuccessful) console.log([`Failed: ${name}`, ...failures].join('\n  '))
  console.log(`\n${sum(({ passed }) => passed)} passed, ${sum(({ failed }) => failed)} failed`)
  return unsuccessful.length > 0 ? 1 : 0
}

/** A step over its budget fails, so that somebody looks: at the tests that grew, or at the budget. */
function withinBudget(step: Finished, factor: number): Finished {
  const budget = (CPU_BUDGETS[step.name] ?? Number.POSITIVE_INFINITY) * factor
  if (step.failed > 0 || step.cpuSeconds <= budget) return step
  const output = `The step used ${step.cpuSeconds.toFixed(0)} CPU seconds; its budget is ${budget.toFixed(0)} on this machine (scripts/checks/runs/cpu-budget.ts).`
  return { ...step, failed: 1, output }
}

function keep({ name, passed, failed, seconds, cpuSeconds }: Finished, commit: string): void {
  keepResult({ step: name, commit, passed, failed, seconds, cpuSeconds, endedAt: Date.now() })
}

/** With the output of one that failed, at once: others may take an hour. */
export function printStep(step: Finished, width: number): void {
  const verdict = step.failed > 0 ? styleText('red', 'FAILED') : styleText('green', 'ok    ')
  const cpu = `${step.cpuSeconds.toFixed(0).padStart(4)} CPU s`
  const tests = step.passed + step.failed > 1 ? `  ${step.passed} of ${step.passed + step.failed} tests` : ''
  const note = step.note === undefined ? '' : `  ${step.note}`
  console.log(`${step.name.padEnd(width)}${verdict}  ${step.seconds.toFixed(1).padStart(5)} s${cpu}${tests}${note}`)
  if (step.failed > 0) console.log(`\n${styleText('bold', `── ${step.name}`)}\n${step.output.trimEnd()}\n`)
}

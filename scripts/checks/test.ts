import { styleText } from 'node:util'
import { stopRunning } from '@svc/platform/command'
import { runEntry, UsageError } from '@svc/platform/entry'
import { CORES } from '@svc/platform/workspace'
import { affectedBy } from './changes/affected.ts'
import { changedFiles } from './changes/changed-files.ts'
import { readImporters } from './changes/import-graph.ts'
import { LONG_FORMS } from './projects/long-forms.ts'
import { SHORT_RUN } from './projects/long-tests.ts'
import { sourceFiles } from './source-files.ts'
import { type Change, type Finished, runSteps, type Step } from './step-runner.ts'
import { FIXES, STEPS } from './test-steps.ts'

const HELP = `Usage: scripts/test [options]

Runs every check a change must pass. The last line reads "N passed, N failed".

  --changed     run only what your change can affect
  --base REF    with --changed: compare with this commit (default: origin/main, or HEAD without it)
  --full        also run the long steps, the long test files and the long form of tests
  --only STEP   run only this step; repeatable
  --list        list the steps
  --fix         write generated files and formatting instead of checking them
  --help        show this`

/** One more than cores: tests also wait for windows, sandboxes and browsers. */
const LANES = CORES + 1

await runEntry({
  name: 'scripts/test',
  help: HELP,
  options: {
    changed: { type: 'boolean', default: false },
    base: { type: 'string' },
    full: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    list: { type: 'boolean', default: false },
    fix: { type: 'boolean', default: false },
  },
  async run({ values: { changed, base, full, only, list, fix } }) {
    if (list) return console.log(STEPS.map(listed).join('\n'))
    const unknown = only.find((name) => STEPS.every((step) => step.name !== name))
    if (unknown !== undefined) throw new UsageError(`There is no step '${unknown}'`)
    if (full && changed) throw new UsageError('--full and --changed cannot be combined')
    if (base !== undefined && !changed) throw new UsageError('--base needs --changed')
    if (fix) return runAll(FIXES, 1)
    Object.assign(process.env, full ? LONG_FORMS : SHORT_RUN)
    const named = STEPS.filter(({ name, isLong }) => (only.length > 0 ? only.includes(name) : full || !isLong))
    if (!changed) return runAll(named, LANES)
    const change = await readChange(base)
    const affected = named.filter(({ isAffectedBy }) => isAffectedBy?.(change) ?? true)
    return runAll(affected, LANES, change)
  },
})

function listed({ name, about, isLong }: Step): string {
  return `${name.padEnd(14)}${about}${isLong ? ' (--full)' : ''}`
}

async function readChange(base: string | undefined): Promise<Change> {
  const changed = await changedFiles(base)
  return { changed, ...affectedBy(changed, readImporters(), sourceFiles()) }
}

async function runAll(steps: readonly Step[], lanes: number, change?: Change): Promise<number> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      stopRunning()
      process.exit(130)
    })
  const width = Math.max(...steps.map(({ name }) => name.length)) + 2
  const finished = await runSteps(steps, change, lanes, (step) => printStep(step, width))
  const passed = finished.reduce((sum, step) => sum + step.passed, 0)
  const failed = finished.reduce((sum, step) => sum + step.failed, 0)
  const names = finished.filter((step) => step.failed > 0).map(({ name }) => name)
  if (names.length > 0) console.log(`\nFailed: ${names.join(', ')}`)
  console.log(`\n${passed} passed, ${failed} failed`)
  return failed > 0 ? 1 : 0
}

/** With the output of one that failed, at once: others may take an hour. */
function printStep(step: Finished, width: number): void {
  const verdict = step.failed > 0 ? styleText('red', 'FAILED') : styleText('green', 'ok    ')
  const tests = step.passed + step.failed > 1 ? `  ${step.passed} of ${step.passed + step.failed} tests` : ''
  const note = step.note === undefined ? '' : `  ${step.note}`
  console.log(`${step.name.padEnd(width)}${verdict}  ${step.seconds.toFixed(1).padStart(5)} s${tests}${note}`)
  if (step.failed > 0) console.log(`\n${styleText('bold', `── ${step.name}`)}\n${step.output.trimEnd()}\n`)
}

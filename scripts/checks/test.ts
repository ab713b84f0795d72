import { runEntry, UsageError, wholeNumber } from '@svc/platform/entry'
import { CORES, SetupError } from '@svc/platform/workspace'
import { affectedBy } from './changes/affected.ts'
import { changedFiles } from './changes/changed-files.ts'
import { readImporters } from './changes/import-graph.ts'
import { TEST_GROUPS } from './projects/groups.ts'
import { cleanCommit, readResults } from './runs/kept-results.ts'
import { stopMeasured } from './runs/measured-command.ts'
import { useMemory } from './runs/memory-folder.ts'
import { repeat } from './runs/repeat.ts'
import { printReport } from './runs/report.ts'
import { runAll } from './runs/run-all.ts'
import { standingOf } from './runs/standing.ts'
import type { Change, Step } from './runs/step-runner.ts'
import { sourceFiles } from './source-files.ts'
import { FIXES } from './steps/default-steps.ts'
import { STEPS } from './steps/steps.ts'

const HELP = `Usage: scripts/test [options]

Runs every check a change must pass. The last line reads "N passed, N failed".

  --changed     run only what your change can affect
  --base REF    with --changed: compare with this commit (default: origin/main, or HEAD without it)
  --full        run all steps, the long ones included; those that passed on this commit are not run again
  --again       with --full: run those too
  --report      print what passed on this commit, or on one whose changes since cannot affect it
  --repeat N    run each step N times, to find tests that fail now and then; continues after an interruption
  --only STEP   run only this step; repeatable
  --list        list the steps
  --fix         write generated files and formatting instead of checking them
  --help        show this`

/** The steps that run tests, each of some vitest projects. */
const TESTED = STEPS.filter(({ name }) => name in TEST_GROUPS || name === 'platform')
/** One more than cores: tests also wait for windows, sandboxes and browsers. */
const LANES = CORES + 1

await runEntry({
  name: 'scripts/test',
  help: HELP,
  options: {
    changed: { type: 'boolean', default: false },
    base: { type: 'string' },
    full: { type: 'boolean', default: false },
    again: { type: 'boolean', default: false },
    report: { type: 'boolean', default: false },
    repeat: { type: 'string' },
    only: { type: 'string', multiple: true, default: [] },
    list: { type: 'boolean', default: false },
    fix: { type: 'boolean', default: false },
  },
  async run({ values: { changed, base, full, again, report, repeat: times, only, list, fix } }) {
    if (list) return console.log(STEPS.map(listed).join('\n'))
    const unknown = only.find((name) => STEPS.every((step) => step.name !== name))
    if (unknown !== undefined) throw new UsageError(`There is no step '${unknown}'`)
    const modes = [changed && '--changed', full && '--full', report && '--report', times && '--repeat', fix && '--fix']
    const [first, second] = modes.filter((mode) => typeof mode === 'string')
    if (first !== undefined && second !== undefined) throw new UsageError(`${first} and ${second} cannot be combined`)
    if (base !== undefined && !changed) throw new UsageError('--base needs --changed')
    if (again && !full) throw new UsageError('--again needs --full')
    const chosen = only.length > 0 ? STEPS.filter(({ name }) => only.includes(name)) : STEPS
    const ofEachRun = only.length > 0 ? chosen : STEPS.filter(({ long }) => long === undefined)
    if (report) return printReport(chosen, await requireClean())
    stopWithSignals()
    if (fix) return runAll(FIXES, { lanes: 1 })
    useMemory()
    if (times !== undefined)
      return repeat(only.length > 0 ? chosen : TESTED, wholeNumber('--repeat', times, { from: 1, to: 1_000 }), LANES)
    if (full) return runAll(again ? chosen : await unsettled(chosen), { lanes: LANES, keeps: true, budgets: true })
    if (!changed) return runAll(ofEachRun, { lanes: LANES, keeps: true, budgets: true })
    const change = await readChange(base)
    const affected = ofEachRun.filter(({ isAffectedBy }) => isAffectedBy?.(change) ?? true)
    return runAll(affected, { lanes: LANES, change })
  },
})

function listed({ name, about, long }: Step): string {
  return `${name.padEnd(16)}${about}${long === undefined ? '' : ` (--full: ${long})`}`
}

/** The steps whose outcome on this commit is not known. Prints the others. */
async function unsettled(steps: readonly Step[]): Promise<Step[]> {
  const commit = await cleanCommit()
  if (commit === null) return [...steps]
  const results = readResults()
  const left: Step[] = []
  for (const step of steps) {
    const { is, result } = await standingOf(step, commit, results)
    if (is === 'passed' || is === 'unaffected') console.log(`${step.name}: passed on ${result.commit.slice(0, 8)}`)
    else left.push(step)
  }
  return left
}

async function requireClean(): Promise<string> {
  const commit = await cleanCommit()
  if (commit === null)
    throw new SetupError('The tree has changes that are not committed, and a report is about a commit.')
  return commit
}

async function readChange(base: string | undefined): Promise<Change> {
  const changed = await changedFiles(base)
  return { changed, ...affectedBy(changed, readImporters(), sourceFiles()) }
}

function stopWithSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      stopMeasured()
      process.exit(130)
    })
}

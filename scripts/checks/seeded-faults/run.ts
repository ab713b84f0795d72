import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runEntry, UsageError } from '@svc/platform/entry'
import { ROOT, resolveFromCaller } from '@svc/platform/workspace'
import type { Fault } from './fault.ts'
import { FAULTS } from './faults/all.ts'
import { misfits } from './locate.ts'
import { type Results, readResults, tableOf, writeResults } from './results.ts'
import { stopRunning } from './test-run.ts'
import { copyTree, sourcesOf } from './tree.ts'
import { type Outcome, tryFault, withControl } from './trial.ts'

const HELP = `Usage: scripts/seed-faults [options]

Puts one fault after another into a copy of the code and runs the tests that it can affect. A fault that no test
notices is a gap in the tests. All of them take about an hour.

  --tree DIR    the code to put faults into (default: this repository); its packages must be installed
  --only ID     only this fault; repeatable
  --json FILE   write the results to FILE after each fault
  --resume      skip the faults with a verdict in FILE
  --list        list the faults
  --check       only check that every fault still matches the code
  --table FILE  print the results in FILE as a Markdown table; several make a column each
  --help        show this`

interface Settings {
  readonly tree: string
  readonly json: string | null
  readonly resume: boolean
}

await runEntry({
  name: 'scripts/seed-faults',
  help: HELP,
  options: {
    tree: { type: 'string' },
    only: { type: 'string', multiple: true, default: [] },
    json: { type: 'string' },
    resume: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    table: { type: 'string', multiple: true, default: [] },
  },
  run({ values }) {
    const { only, list, table, resume } = values
    const unknown = only.find((name) => FAULTS.every(({ id }) => id !== name))
    if (unknown !== undefined) throw new UsageError(`There is no fault '${unknown}'`)
    const chosen = FAULTS.filter(({ id }) => only.length === 0 || only.includes(id))
    const tree = values.tree === undefined ? ROOT : resolveFromCaller(values.tree)
    if (list) return console.log(chosen.map(({ id, about }) => `${id.padEnd(28)}${about}`).join('\n'))
    if (values.check) return check(chosen, tree)
    if (table.length > 0) return printTable(chosen, table)
    const json = values.json === undefined ? null : resolveFromCaller(values.json)
    return run(chosen, { tree, json, resume })
  },
})

function check(faults: readonly Fault[], tree: string): number {
  const problems = misfits(faults, sourcesOf(tree))
  for (const problem of problems) console.error(problem)
  console.log(`${faults.length - problems.length} of ${faults.length} faults fit`)
  return problems.length > 0 ? 1 : 0
}

function printTable(faults: readonly Fault[], files: readonly string[]): void {
  const all = files.map((file) => readResults(resolveFromCaller(file))).filter((one) => one !== null)
  console.log(tableOf(faults, all))
}

async function run(faults: readonly Fault[], { tree, json, resume }: Settings): Promise<number> {
  // Another checkout may lack the code of some faults; here each has to fit.
  if (check(faults, tree) > 0 && tree === ROOT) return 1
  const earlier = resume && json !== null ? (readResults(json)?.outcomes ?? []) : []
  const outcomes = earlier.filter(({ verdict }) => verdict === 'caught' || verdict === 'missed')
  const copy = mkdtempSync(join(tmpdir(), 'seeded-tree-'))
  const stop = () => {
    stopRunning()
    rmSync(copy, { recursive: true, force: true })
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      stop()
      process.exit(130)
    })
  const keep = (found: readonly Outcome[]) => {
    if (json !== null) writeResults(json, { tree: commitOf(tree), outcomes: found } satisfies Results)
  }
  try {
    copyTree(tree, copy)
    const sources = sourcesOf(copy)
    for (const fault of faults) {
      if (outcomes.some(({ id }) => id === fault.id)) continue
      const [misfit] = misfits([fault], sources)
      const outcome = misfit === undefined ? await tryFault(copy, fault, sources) : absent(fault, misfit)
      console.log(lineOf(outcome))
      outcomes.push(outcome)
      keep(outcomes)
    }
    const settled = await withControl(copy, outcomes, FAULTS)
    keep(settled)
    for (const one of settled) if (one.verdict === 'unreliable') console.log(lineOf(one))
    const seeded = settled.filter(({ verdict }) => verdict !== 'absent')
    const caught = seeded.filter(({ verdict }) => verdict === 'caught').length
    console.log(`${caught} of ${seeded.length} faults caught`)
    return caught === seeded.length ? 0 : 1
  } finally {
    stop()
  }
}

function absent({ id, about }: Fault, problem: string): Outcome {
  return { id, about, verdict: 'absent', by: null, problem, seconds: 0 }
}

function lineOf({ id, verdict, by, problem, seconds }: Outcome): string {
  const detail = by ? `${by.file}: ${by.test}` : (problem ?? '')
  return `${id.padEnd(28)}${verdict.padEnd(12)}${String(seconds).padStart(5)} s  ${detail}`
}

/** What a result is about; an archive has no commits. */
function commitOf(folder: string): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .trim()
  } catch {
    return 'unknown'
  }
}

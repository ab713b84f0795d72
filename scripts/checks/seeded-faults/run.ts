import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { capture } from '@svc/platform/command'
import { runEntry, UsageError, wholeNumber } from '@svc/platform/entry'
import { ROOT, resolveFromCaller, SetupError } from '@svc/platform/workspace'
import { tryMutants } from '../mutants/run.ts'
import { readReach } from './affected-projects.ts'
import { draw } from './draw.ts'
import type { Fault } from './fault.ts'
import { FAULTS } from './faults/all.ts'
import { misfits } from './locate.ts'
import { namedTestsOnly, wholeProjects } from './plans.ts'
import { readSettled, writeResults } from './results.ts'
import { stopRunning } from './test-run.ts'
import { copyTree, sourcesOf } from './tree.ts'
import { type Outcome, tryFault, withControl } from './trial.ts'

const HELP = `Usage: scripts/seed-faults [options]

Puts one fault after another into a copy of the code and runs the tests that it can affect. A fault that no test
notices is a gap in the tests.

  --draw N      draw N faults by the commit, and run every project that each can affect, whole
  --seed REF    with --draw: draw what another commit would draw
  --only ID     only this fault; repeatable
  --whole       run projects whole, not only the tests that a fault names
  --mutants P   instead of faults, change every operator and condition of the rules below this path; 'all' for all; repeatable
  --json FILE   write the results to FILE after each fault
  --resume      skip the faults with a verdict in FILE
  --list        list the faults
  --check       only check that every fault still matches the code
  --help        show this`

interface Settings {
  readonly whole: boolean
  readonly json: string | null
  readonly resume: boolean
}

await runEntry({
  name: 'scripts/seed-faults',
  help: HELP,
  options: {
    draw: { type: 'string' },
    seed: { type: 'string' },
    only: { type: 'string', multiple: true, default: [] },
    whole: { type: 'boolean', default: false },
    mutants: { type: 'string', multiple: true, default: [] },
    json: { type: 'string' },
    resume: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
  async run({ values }) {
    const { only, seed, mutants } = values
    if (mutants.length > 0) return tryMutants(mutants)
    const unknown = only.find((name) => FAULTS.every(({ id }) => id !== name))
    if (unknown !== undefined) throw new UsageError(`There is no fault '${unknown}'`)
    if (seed !== undefined && values.draw === undefined) throw new UsageError('--seed needs --draw')
    if (values.draw !== undefined && only.length > 0) throw new UsageError('--draw and --only cannot be combined')
    const count = values.draw === undefined ? null : wholeNumber('--draw', values.draw, { from: 1 })
    const pool = FAULTS.filter(({ id }) => only.length === 0 || only.includes(id))
    const chosen = count === null ? pool : draw(pool, count, await commitOf(seed ?? 'HEAD'))
    if (values.list) return console.log(chosen.map(({ id, promise }) => `${id.padEnd(34)}${promise}`).join('\n'))
    if (values.check) return check(chosen)
    const json = values.json === undefined ? null : resolveFromCaller(values.json)
    return run(chosen, { whole: values.whole || count !== null, json, resume: values.resume })
  },
})

function check(faults: readonly Fault[]): number {
  const problems = misfits(faults, sourcesOf(ROOT))
  for (const problem of problems) console.error(problem)
  console.log(`${faults.length - problems.length} of ${faults.length} faults fit`)
  return problems.length > 0 ? 1 : 0
}

async function run(faults: readonly Fault[], { whole, json, resume }: Settings): Promise<number> {
  if (check(faults) > 0) return 1
  const commit = await commitOf('HEAD')
  const outcomes = resume && json !== null ? readSettled(json, { commit, whole }) : []
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
    if (json !== null) writeResults(json, { commit, whole, outcomes: found })
  }
  try {
    copyTree(ROOT, copy)
    const plan = (whole ? wholeProjects : namedTestsOnly)(readReach())
    const sources = sourcesOf(copy)
    for (const fault of faults) {
      if (outcomes.some(({ id }) => id === fault.id)) continue
      const outcome = await tryFault(copy, fault, { sources, plan })
      console.log(lineOf(outcome))
      outcomes.push(outcome)
      keep(outcomes)
    }
    const ids = new Set(faults.map(({ id }) => id))
    const settled = await withControl(
      copy,
      outcomes.filter(({ id }) => ids.has(id)),
    )
    keep(settled)
    for (const one of settled) if (one.verdict === 'unreliable') console.log(lineOf(one))
    const caught = settled.filter(({ verdict }) => verdict === 'caught').length
    console.log(`${caught} of ${settled.length} caught`)
    return caught === settled.length ? 0 : 1
  } finally {
    stop()
  }
}

function lineOf({ id, verdict, by, problem, seconds }: Outcome): string {
  const detail = by ? `${by.file}: ${by.test}` : (problem ?? '')
  return `${id.padEnd(34)}${verdict.padEnd(12)}${String(seconds).padStart(5)} s  ${detail}`
}

async function commitOf(ref: string): Promise<string> {
  const { code, output } = await capture('git', ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`])
  if (code !== 0) throw new SetupError(`There is no commit ${ref}`)
  return output.trim()
}

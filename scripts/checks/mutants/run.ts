import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { capture } from '@svc/platform/command'
import { ROOT, SetupError } from '@svc/platform/workspace'
import { copyTree } from '../seeded-faults/tree.ts'
import { type MutationReport, resultOf, settledOf, unexplained } from './results.ts'
import { mutatedFiles } from './scope.ts'
import { SURVIVORS } from './survivors.ts'

/** Results by file, so that an interrupted run continues, and a later one tries only what has changed. */
const KEPT = join(ROOT, '.state/mutants')

const NO_TESTS = 'No tests were executed'

/**
 * Changes one operator, condition or text after another in the rules below these paths, and runs their tests. Prints each
 * mutant that no test notices. The exit status is 0 only if each of those has its reason.
 */
export async function tryMutants(paths: readonly string[]): Promise<number> {
  const files = mutatedFiles().filter((file) => paths.some((path) => path === 'all' || file.startsWith(path)))
  if (files.length === 0) throw new SetupError(`No file of rules is at ${paths.join(' or ')}`)
  const copy = mkdtempSync(join(tmpdir(), 'mutants-'))
  const problems: string[] = []
  let [mutants, killed, open] = [0, 0, 0]
  try {
    copyTree(ROOT, copy)
    for (const file of files) {
      const report = await mutate(copy, file)
      if (typeof report === 'string') {
        problems.push(`${file}: ${report}`)
        continue
      }
      const result = resultOf(report, file)
      const left = unexplained(result, SURVIVORS)
      mutants += result.mutants
      killed += result.killed
      open += left.length
      console.log(`${file}: ${result.killed} of ${result.mutants} noticed, ${left.length} without a reason`)
      for (const { line, from, to } of left) console.log(`  ${line}: ${oneLine(from)}  →  ${oneLine(to)}`)
    }
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
  for (const problem of problems) console.log(problem)
  const reasoned = mutants - killed - open
  console.log(`\n${killed} of ${mutants} mutants noticed, ${reasoned} live with a reason, ${open} without one`)
  return open + problems.length > 0 ? 1 : 0
}

/** Or why there is no report. */
async function mutate(copy: string, file: string): Promise<MutationReport | string> {
  const kept = join(KEPT, `${file}.json`)
  const results = join(copy, '.mutants.json')
  rmSync(results, { force: true })
  if (existsSync(kept)) writeFileSync(results, JSON.stringify(settledOf(reportIn(kept), file, SURVIVORS)))
  const script = `cd '${copy}' && exec "$0" "$@"`
  const args = ['-c', script, process.execPath, 'scripts/checks/mutants/stryker.ts', file, results]
  const { code, output } = await capture('sh', args)
  if (output.includes(NO_TESTS)) return 'no test of plain Node.js imports it'
  if (code !== 0) return `was not mutated: ${output.slice(-2_000)}`
  mkdirSync(dirname(kept), { recursive: true })
  copyFileSync(results, kept)
  return reportIn(kept)
}

const reportIn = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as MutationReport

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').slice(0, 100)

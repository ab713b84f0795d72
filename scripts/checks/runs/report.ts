import { readResults } from './kept-results.ts'
import { type Standing, standingOf } from './standing.ts'
import type { Step } from './step-runner.ts'

/** Prints what is known of each step at a commit. The exit status is 0 only if all passed. */
export async function printReport(steps: readonly Step[], commit: string): Promise<number> {
  const results = readResults()
  console.log(`At ${commit}:\n`)
  let open = 0
  for (const step of steps) {
    const standing = await standingOf(step, commit, results)
    if (standing.is === 'failed' || standing.is === 'unknown') open++
    console.log(`${step.name.padEnd(16)}${described(standing)}`)
  }
  console.log(open === 0 ? '\nEvery step passed.' : `\n${open} of ${steps.length} steps have not passed here.`)
  return open === 0 ? 0 : 1
}

function described({ is, result }: Standing): string {
  if (result === null) return 'never run'
  const on = `on ${result.commit.slice(0, 8)}, ${new Date(result.endedAt).toISOString().slice(0, 16)}Z`
  const used = `${result.seconds.toFixed(0)} s, ${result.cpuSeconds.toFixed(0)} CPU s`
  if (is === 'unknown') return `not run here; ${result.failed > 0 ? 'failed' : 'passed'} ${on}`
  if (is === 'unaffected') return `passed ${on} (${used}); nothing that changed since can affect it`
  return is === 'passed' ? `passed (${result.passed} tests, ${used})` : `failed (${result.failed} tests) ${on}`
}

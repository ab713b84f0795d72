import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { choosing } from '../projects/groups.ts'
import { captureMeasured } from './measured-command.ts'
import type { Outcome } from './step-runner.ts'

/** Vitest's report, as far as it is read. */
export interface VitestReport {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}

export interface VitestCall {
  readonly config: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** Runs a command and collects its output. */
export type Execute<Run extends Executed = Executed> = (
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
) => Promise<Run>

interface Executed {
  readonly code: number
  readonly output: string
}

/**
 * Runs the vitest projects of these configurations on one thread: the steps fill the cores, and each thread starts a
 * runtime of its own.
 */
export function callOf(configs: readonly string[], args: readonly string[] = []): VitestCall {
  return { config: 'scripts/checks/vitest.config.ts', args: ['--maxWorkers=1', ...args], env: choosing(configs) }
}

/** Runs vitest and reads its report, which is null when it leaves none. */
export async function reportOf<Run extends Executed>({ config, args, env }: VitestCall, execute: Execute<Run>) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-tests-'))
  const file = join(folder, 'report.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  try {
    const run = await execute('vitest', ['run', '--root', '.', '--config', config, ...reporters, ...args], env)
    return { ...run, report: readReport(file) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function readReport(file: string): VitestReport | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as VitestReport
  } catch {
    return null
  }
}

/** Runs vitest and counts its tests. A file that fails to load counts as one failure. */
export async function runVitest(
  config: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const { code, output, cpuSeconds, report } = await reportOf({ config, args, env }, captureMeasured)
  if (report === null)
    return { passed: 0, failed: 1, output: `${output}\nvitest left no report (exit code ${code})`, cpuSeconds }
  const { numPassedTests, numFailedTests, testResults } = report
  const brokenFiles = testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && assertionResults.every((assertion) => assertion.status !== 'failed'),
  )
  const failures = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => `${fileOf(name)} > ${fullName}`),
  )
  failures.push(...brokenFiles.map(({ name }) => fileOf(name)))
  const failed = numFailedTests + brokenFiles.length
  return { passed: numPassedTests, failed: failed === 0 && code !== 0 ? 1 : failed, output, failures, cpuSeconds }
}

const fileOf = (path: string) => relative(process.cwd(), path)

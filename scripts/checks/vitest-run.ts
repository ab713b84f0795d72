import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { capture } from '@svc/platform/command'
import type { Outcome } from './step-runner.ts'

interface VitestReport {
  numPassedTests: number
  numFailedTests: number
  testResults: { status: string; assertionResults: { status: string }[] }[]
}

/** Runs vitest and counts its tests. A file that fails to load counts as one failure. */
export async function runVitest(
  config: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-tests-'))
  const report = join(folder, 'report.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const { code, output } = await capture(
    'vitest',
    ['run', '--root', '.', '--config', config, ...reporters, ...args],
    env,
  )
  try {
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, 'utf8')) as VitestReport
    const brokenFiles = testResults.filter(
      ({ status, assertionResults }) =>
        status === 'failed' && assertionResults.every((assertion) => assertion.status !== 'failed'),
    ).length
    const failed = numFailedTests + brokenFiles
    return { passed: numPassedTests, failed: failed === 0 && code !== 0 ? 1 : failed, output }
  } catch {
    return { passed: 0, failed: 1, output: `${output}\nvitest left no report (exit code ${code})` }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

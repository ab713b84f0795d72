import { provideChromium } from '@svc/platform/chromium'
import { choosingPart, type PlatformPart } from '../running-platform/tests.ts'
import type { Outcome } from '../runs/step-runner.ts'
import { runVitest } from '../runs/vitest-run.ts'

export function runPlatformPart(part: PlatformPart): Promise<Outcome> {
  return runVitest('scripts/checks/running-platform/vitest.config.ts', [], choosingPart(part))
}

/** Not run without a browser, with a note. */
export async function runInBrowser(part: PlatformPart): Promise<Outcome> {
  const chromium = await provideChromium().catch((error: Error) => error)
  if (chromium instanceof Error) return { passed: 0, failed: 1, output: chromium.message, cpuSeconds: 0 }
  if (chromium !== undefined) return runPlatformPart(part)
  const note = 'not run: no CHROME_PATH, and no chromium in PATH'
  return { passed: 0, failed: 0, output: '', cpuSeconds: 0, note }
}

/** Skips the part in the browser without one, with a note. */
export async function runQuickstart(): Promise<Outcome> {
  const chromium = await provideChromium().catch(() => undefined)
  const outcome = await runVitest('scripts/checks/quickstart/vitest.config.ts')
  const note = 'not run: the part in the browser (no CHROME_PATH, and no chromium in PATH)'
  return chromium === undefined ? { ...outcome, note } : outcome
}

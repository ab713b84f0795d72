import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleCommandLine } from '@svc/platform/callers/command-line'
import type { Figure } from '../figures/figure.ts'

const RUNS = 9
/** Node.js alone takes 25 ms where `svc --help` may take 100. */
const MAX_RATIO = 4

/** How long `svc` takes to show its help, against a program that does nothing. The two take turns. */
export async function measureCommandLine(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-help-'))
  try {
    const program = await bundleCommandLine(folder)
    const nothing = join(folder, 'nothing.mjs')
    writeFileSync(nothing, '')
    const runs = Array.from({ length: RUNS }, () => [wallMs(nothing), wallMs(program, '--help')] as const)
    const [bare, help] = [0, 1].map((at) => Math.min(...runs.map((run) => run[at] ?? 0))) as [number, number]
    return [
      {
        name: 'svc --help / Node.js alone',
        ratio: help / bare,
        bar: { limit: MAX_RATIO, good: 'at most' },
        detail: `${help.toFixed(0)} ms / ${bare.toFixed(0)} ms`,
      },
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function wallMs(...args: string[]): number {
  const before = performance.now()
  execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', ...args])
  return performance.now() - before
}

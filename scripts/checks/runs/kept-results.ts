import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { capture } from '@svc/platform/command'
import { ROOT } from '@svc/platform/workspace'

/** One run of a step on a commit, without other changes. */
export interface KeptResult {
  readonly step: string
  readonly commit: string
  readonly passed: number
  readonly failed: number
  readonly seconds: number
  readonly cpuSeconds: number
  /** Milliseconds since 1970. */
  readonly endedAt: number
}

const FILE = join(ROOT, '.state/test-results.json')

/** In the order in which they ended. */
export function readResults(file = FILE): KeptResult[] {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as KeptResult[]
  } catch {
    return []
  }
}

/** Adds a result. Steps end one after the other in one process, and a file is replaced as a whole. */
export function keepResult(result: KeptResult, file = FILE): void {
  mkdirSync(dirname(file), { recursive: true })
  const next = `${file}.${process.pid}`
  writeFileSync(next, JSON.stringify([...readResults(file), result]))
  renameSync(next, file)
}

/** The commit, or null while the tree has other changes: what then runs proves nothing of a commit. */
export async function cleanCommit(): Promise<string | null> {
  const status = await capture('git', ['status', '--porcelain'])
  if (status.code !== 0 || status.output.trim() !== '') return null
  const { code, output } = await capture('git', ['rev-parse', 'HEAD'])
  return code === 0 ? output.trim() : null
}

/** Files that differ between two commits, or null if Git does not know the first. */
export async function filesBetween(from: string, to: string): Promise<string[] | null> {
  const { code, output } = await capture('git', ['diff', '--name-only', '--no-renames', from, to])
  return code === 0 ? output.split('\n').filter((line) => line !== '') : null
}

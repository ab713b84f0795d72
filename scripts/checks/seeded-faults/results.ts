import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Outcome } from './trial.ts'

/** What was found. Written after every fault, so that a run that was stopped can go on. */
export interface Results {
  /** The commit that the faults were tried in. */
  readonly commit: string
  /** Whether projects ran whole, or only the tests that the faults name. */
  readonly whole: boolean
  readonly outcomes: readonly Outcome[]
}

/** The verdicts of an earlier run to go on from. Those of another commit, or of fewer tests, say nothing about this one. */
export function readSettled(file: string, { commit, whole }: Pick<Results, 'commit' | 'whole'>): Outcome[] {
  if (!existsSync(file)) return []
  const earlier = JSON.parse(readFileSync(file, 'utf8')) as Results
  if (earlier.commit !== commit || earlier.whole !== whole) return []
  return earlier.outcomes.filter(({ verdict }) => verdict === 'caught' || verdict === 'missed')
}

export function writeResults(file: string, results: Results): void {
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)
}

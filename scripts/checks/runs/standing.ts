import { filesBetween, type KeptResult } from './kept-results.ts'
import type { Step } from './step-runner.ts'

/** What is known of a step at a commit. */
export type Standing =
  | { readonly is: 'passed' | 'failed'; readonly result: KeptResult }
  /** It passed on an earlier commit, and nothing that changed since can affect it. */
  | { readonly is: 'unaffected'; readonly result: KeptResult }
  /** It ran on an earlier commit alone, or never. */
  | { readonly is: 'unknown'; readonly result: KeptResult | null }

type FilesBetween = (from: string, to: string) => Promise<readonly string[] | null>

/** The newest result on the commit decides; without one, the newest of all, if what changed since cannot affect the step. */
export async function standingOf(
  step: Pick<Step, 'name' | 'ownTests'>,
  commit: string,
  results: readonly KeptResult[],
  between: FilesBetween = filesBetween,
): Promise<Standing> {
  const own = results.filter((result) => result.step === step.name)
  const here = own.findLast((result) => result.commit === commit)
  if (here) return { is: here.failed === 0 ? 'passed' : 'failed', result: here }
  const newest = own.at(-1)
  if (newest === undefined || newest.failed > 0) return { is: 'unknown', result: newest ?? null }
  const changed = await between(newest.commit, commit)
  const isAffected = changed?.some((file) => canAffect(step, file)) ?? true
  return { is: isAffected ? 'unknown' : 'unaffected', result: newest }
}

/** Read by people alone. Pages and READMEs are not here: their examples run. */
const INERT = /^(docs\/adr\/|\.github\/|LICENSE$|SECURITY\.md$|\.editorconfig$)/
const TEST = /\.test\.tsx?$/

/** Whether a changed file can change the outcome of a step. A step that does not say which tests are its own reads all files. */
function canAffect({ ownTests }: Pick<Step, 'ownTests'>, file: string): boolean {
  if (ownTests === undefined) return true
  if (INERT.test(file)) return false
  return !TEST.test(file) || ownTests.test(file)
}

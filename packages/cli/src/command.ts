import type { Context } from './context.ts'
import type { Given, Result } from './result.ts'

/** One command of the tree. Its code is loaded when it runs, so that `--help` stays fast. */
export interface CommandSpec {
  /** `id new`. */
  readonly path: string
  readonly summary: string
  /** `<file>`, `[did]`. */
  readonly args?: readonly string[]
  /** Flags and what they mean. */
  readonly options?: readonly (readonly [flags: string, about: string])[]
  /**
   * The members of the result with `--json`, or the schema of the API that it has, `Intent of pay`. With `--dry-run` some
   * are missing. `schema/results.ts` has the form of each.
   */
  readonly result: readonly string[] | string
  /** A test compares each with the command. */
  readonly examples: readonly string[]
  /** The page that explains what it does. */
  readonly page?: string
  readonly run: (context: Context, given: Given) => Promise<Result>
}

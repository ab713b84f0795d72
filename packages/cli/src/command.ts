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
  /** The members of the result with `--json`, or the name of what the API answers. With `--dry-run` some are missing. */
  readonly result: readonly string[] | string
  /** A test compares each with the command. */
  readonly examples: readonly string[]
  /** The page that explains what it does. */
  readonly page?: string
  readonly run: (context: Context, given: Given) => Promise<Result>
}

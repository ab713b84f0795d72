/** A mistake that somebody could make, and the tests that should notice it. */
export interface Fault {
  readonly id: string
  /** One sentence: what users are promised, and the fault breaks. */
  readonly promise: string
  /** Code alone, no comments: they are reworded far more often. Must occur once in the sources; white space is loose. */
  readonly find: string
  /** What stands there instead. */
  readonly replace: string
  /** Narrows the search to files whose path matches; only for text that cannot be made unique otherwise. */
  readonly in?: RegExp
  /** Parts of paths of the test files that should notice it. A draw does not choose tests by them, only the project to begin with. */
  readonly tests: readonly [string, ...string[]]
}

/** Keeps the literal types and refuses an id that occurs twice. */
export function defineFaults(faults: readonly Fault[]): readonly Fault[] {
  const ids = faults.map(({ id }) => id)
  const twice = ids.find((id, i) => ids.indexOf(id) !== i)
  if (twice !== undefined) throw new Error(`two faults are named '${twice}'`)
  return faults
}

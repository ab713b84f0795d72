/** One place in the code and what stands there instead. White space is matched loosely, so reformatting changes nothing. */
export interface Edit {
  /** Code alone, no comments: they are reworded far more often. Must occur exactly once in the source files. */
  readonly find: string
  readonly replace: string
  /** Narrows the search to files whose path matches; only for text that cannot be made unique otherwise. */
  readonly in?: RegExp
}

/** A mistake that somebody could make, and where its consequences should show. */
export interface Fault {
  readonly id: string
  /** One sentence: what goes wrong. */
  readonly about: string
  /** Spellings of one and the same change, the current one first; the first that is found is applied. */
  readonly edits: readonly [Edit, ...Edit[]]
  /** The vitest projects that the fault can affect, the quickest first. */
  readonly projects: readonly [string, ...string[]]
  /** Parts of paths of test files that are run first. A hint only: without a match the projects run whole. */
  readonly tests?: readonly string[]
}

/** Keeps the literal types and refuses an id that occurs twice. */
export function defineFaults(faults: readonly Fault[]): readonly Fault[] {
  const ids = faults.map(({ id }) => id)
  const twice = ids.find((id, i) => ids.indexOf(id) !== i)
  if (twice !== undefined) throw new Error(`two faults are named '${twice}'`)
  return faults
}

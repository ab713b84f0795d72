/** A mutant that no test notices, and why that is right. */
export interface Survivor {
  readonly file: string
  /** What is replaced, as it stands in the file, and what takes its place. */
  readonly from: string
  readonly to: string
  readonly because: string
}

export const SURVIVORS: readonly Survivor[] = []

/** A complete subtree of a log: the entries from `first` on, a power of two of them. */
export interface Peak {
  readonly first: number
  readonly leaves: number
  readonly height: number
}

/** The complete subtrees of a tree of this size, the largest first (RFC 9162 section 2.1). */
export function peaksOf(size: number): readonly Peak[] {
  const peaks: Peak[] = []
  for (let first = 0; first < size; ) {
    const height = Math.floor(Math.log2(size - first))
    const leaves = 2 ** height
    peaks.push({ first, leaves, height })
    first += leaves
  }
  return peaks
}

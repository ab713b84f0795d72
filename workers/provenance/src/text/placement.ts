/**
 * Which chunks of a registered text count. The service cannot see the text, but places can be held to its word count.
 *
 * @module
 */
import type { VectorPlace } from '../vectors/set.ts'

/** A word lies in at most so many chunks that count. The SDK places each word in two. */
export const MAX_OVERLAP = 4

/** A chunk that counts: its position in the registration, and its place within the text. */
export interface CountedChunk {
  readonly at: number
  readonly place: VectorPlace
}

/**
 * The chunks that lie in the text, cut at its end, in the order of the registration. Where more than MAX_OVERLAP overlap,
 * those that begin later do not count.
 */
export function countedChunks(places: readonly VectorPlace[], wordCount: number): CountedChunk[] {
  const inside = places
    .map((place, at) => ({ at, place: { ...place, extent: Math.min(place.extent, wordCount - place.start) } }))
    .filter(({ place }) => place.extent > 0)
    .toSorted((a, b) => a.place.start - b.place.start || a.at - b.at)
  const counted: CountedChunk[] = []
  let openEnds: number[] = []
  for (const chunk of inside) {
    const { start, extent } = chunk.place
    openEnds = openEnds.filter((end) => end > start)
    if (openEnds.length === MAX_OVERLAP) continue
    openEnds.push(start + extent)
    counted.push(chunk)
  }
  return counted.toSorted((a, b) => a.at - b.at)
}

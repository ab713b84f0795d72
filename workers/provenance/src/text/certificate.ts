import { textIdOf } from '@svc/protocol/provenance/text-id'
import type { VectorSet } from '../vectors/set.ts'
import { unpacked } from '../vectors/vector-index.ts'

/** The id that a registration of this set certifies itself. */
export function certifiedIdOf(wordCount: number, { places, vectors }: VectorSet): string {
  const packed = unpacked(vectors)
  return textIdOf(
    wordCount,
    places.map(({ index, start, extent }, i) => ({ index, start, words: extent, packed: packed[i]! })),
  )
}

import { type Sign, VECTOR_DIMENSIONS } from '#protocol/provenance/vector-services'
import { checkCall } from '../arguments/check.ts'

/**
 * The vector of an embedding of 256 numbers, as a model makes it: the sign of each. Embeddings at a small angle have near
 * vectors. Throws a RangeError for another count of numbers, and for one that is not a number.
 */
export function signsOf(embedding: ArrayLike<number>): Sign[] {
  checkCall('signsOf', [embedding], ['embedding'])
  if (embedding.length !== VECTOR_DIMENSIONS)
    throw new RangeError(`an embedding must have ${VECTOR_DIMENSIONS} numbers; this one has ${embedding.length}`)
  return Array.from(embedding, (value): Sign => {
    if (Number.isNaN(value)) throw new RangeError('an embedding must have numbers only')
    return value > 0 ? 1 : -1
  })
}

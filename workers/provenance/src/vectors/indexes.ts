import { VECTOR_SERVICES, type VectorService } from '@svc/protocol/provenance/vector-services'
import { objectsIn } from '@svc/service'
import { EmbeddedIndex } from './embedded-index.ts'
import type { VectorIndexes } from './set-service.ts'
import { SplitIndex } from './split-index.ts'
import type { VectorIndex } from './vector-index.ts'
import { type VectorizeBinding, VectorizeIndex } from './vectorize-index.ts'

/** A query of 100 vectors to eight indexes is 800 subrequests, and a request may make 1,000. */
export const MAX_SPLITS = 8

/**
 * Vectorize if it is bound, else the embedded index, else none; in so many parts. Of Vectorize, the second part is bound as
 * `TEXT_VECTORS_2`, and so on.
 */
export function indexesOf(env: object, splits: number): VectorIndexes {
  const { VECTOR_INDEX } = env as Partial<Env>
  const bound = env as Readonly<Record<string, VectorizeBinding | undefined>>
  const partOf = (service: VectorService, isVectorize: boolean, part: number): VectorIndex | null => {
    if (!isVectorize) {
      const name = splits === 1 ? service : `${service}/${splits}/${part}`
      return VECTOR_INDEX ? new EmbeddedIndex(objectsIn(env, VECTOR_INDEX), name) : null
    }
    const binding = bindingOf(service, part)
    const vectorize = bound[binding]
    if (!vectorize) throw new Error(`VECTOR_SPLITS is ${splits}: bind a Vectorize index as ${binding}`)
    return new VectorizeIndex(vectorize)
  }
  const indexOf = (service: VectorService): VectorIndex | null => {
    const isVectorize = bound[bindingOf(service, 1)] !== undefined
    const parts = Array.from({ length: splits }, (_, i) => partOf(service, isVectorize, i + 1))
    const [first, ...others] = parts.filter((part) => part !== null)
    if (!first) return null
    return others.length === 0 ? first : new SplitIndex([first, ...others])
  }
  return Object.fromEntries(VECTOR_SERVICES.map((service) => [service, indexOf(service)])) as Record<
    VectorService,
    VectorIndex | null
  >
}

function bindingOf(service: VectorService, part: number): string {
  return `${service.toUpperCase()}_VECTORS${part === 1 ? '' : `_${part}`}`
}

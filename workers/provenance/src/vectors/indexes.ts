import { VECTOR_SERVICES, type VectorService } from '@svc/protocol/provenance/vector-services'
import { objectsIn } from '@svc/service'
import { EmbeddedIndex } from './embedded-index.ts'
import { Generations } from './generations.ts'
import type { VectorIndexes } from './set-service.ts'
import type { VectorIndex } from './vector-index.ts'
import { type VectorizeBinding, VectorizeIndex } from './vectorize-index.ts'

/** A query of 100 vectors to eight indexes is 800 subrequests, and a request may make 1,000. */
export const MAX_GENERATIONS = 8

/**
 * Vectorize if it is bound, else the embedded index, else none; each in so many generations. Of Vectorize, the second is
 * bound as `TEXT_VECTORS_2`, and so on.
 */
export function indexesOf(env: object, generations: Readonly<Record<VectorService, number>>): VectorIndexes {
  const { VECTOR_INDEX } = env as Partial<Env>
  const bound = env as Readonly<Record<string, VectorizeBinding | undefined>>
  const indexOf = (service: VectorService, isVectorize: boolean, generation: number): VectorIndex | null => {
    if (!isVectorize) {
      const name = generation === 1 ? service : `${service}/${generation}`
      return VECTOR_INDEX ? new EmbeddedIndex(objectsIn(env, VECTOR_INDEX), name) : null
    }
    const binding = bindingOf(service, generation)
    const vectorize = bound[binding]
    if (!vectorize) {
      throw new Error(
        `VECTOR_GENERATIONS of ${service} is ${generations[service]}: bind a Vectorize index as ${binding}`,
      )
    }
    return new VectorizeIndex(vectorize)
  }
  const generationsOf = (service: VectorService): Generations | null => {
    const isVectorize = bound[bindingOf(service, 1)] !== undefined
    const indexes = Array.from({ length: generations[service] }, (_, i) => indexOf(service, isVectorize, i + 1))
    const [first, ...others] = indexes.filter((index) => index !== null)
    return first ? new Generations([first, ...others]) : null
  }
  return Object.fromEntries(VECTOR_SERVICES.map((service) => [service, generationsOf(service)])) as Record<
    VectorService,
    Generations | null
  >
}

function bindingOf(service: VectorService, generation: number): string {
  return `${service.toUpperCase()}_VECTORS${generation === 1 ? '' : `_${generation}`}`
}

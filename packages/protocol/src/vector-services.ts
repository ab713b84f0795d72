/**
 * What similarity search compares, service by service. All vectors are 256 of 1 or -1: text chunks as
 * `packages/fingerprint` makes them, and whatever an application makes of images and frames, brought to signs.
 *
 * @module
 */
import * as z from 'zod'

export const VECTOR_DIMENSIONS = 256
export const VECTOR_SERVICES = ['text', 'semantic', 'fragment', 'video'] as const
export type VectorService = (typeof VECTOR_SERVICES)[number]

export interface VectorRule {
  /** How many vectors an asset may have. */
  readonly maxVectors: number
  /** How many a search may send; each passes over every vector of the service. */
  readonly maxQueryVectors: number
  /** Two vectors that differ in no more values match. */
  readonly maxDistance: number
}

/**
 * Distances: text as measured for its fingerprint; 64 of 256 for fragments and frames, which chance reaches once in
 * 4 · 10^15 pairs; 80 for the whole of an image, once in 10^9.
 */
export const VECTOR_RULES: { readonly [S in VectorService]: VectorRule } = {
  text: { maxVectors: 5_000, maxQueryVectors: 100, maxDistance: 76 },
  semantic: { maxVectors: 16, maxQueryVectors: 4, maxDistance: 80 },
  fragment: { maxVectors: 500, maxQueryVectors: 100, maxDistance: 64 },
  video: { maxVectors: 1_000, maxQueryVectors: 100, maxDistance: 64 },
}

/** Assets in an answer. */
export const DEFAULT_MATCHES = 10
export const MAX_MATCHES = 20

const vectorRuleSchema = z
  .strictObject({
    provisioned: z.boolean().meta({ description: 'Whether an index is bound; without one the service answers 503' }),
    dimensions: z.literal(VECTOR_DIMENSIONS),
    maxVectors: z.int().meta({ description: 'Of one asset' }),
    maxQueryVectors: z.int().meta({ description: 'Of one search' }),
    maxDistance: z.int().meta({ description: 'Of two vectors that match: in so many values they may differ' }),
  })
  .meta({ id: 'VectorRule' })
export const vectorServicesSchema = z
  .strictObject({
    text: vectorRuleSchema,
    semantic: vectorRuleSchema,
    fragment: vectorRuleSchema,
    video: vectorRuleSchema,
  })
  .meta({ id: 'VectorServices', description: 'What similarity search compares' })
export type VectorServices = z.infer<typeof vectorServicesSchema>

export const signVectorSchema = z
  .array(z.union([z.literal(1), z.literal(-1)]))
  .length(VECTOR_DIMENSIONS)
  .meta({ id: 'SignVector', description: 'Exactly 256 values, each 1 or -1' })
export type Sign = 1 | -1

/** Whether this is a vector; a schema would take its time over a million values. */
export function isSignVector(values: readonly unknown[]): values is Sign[] {
  return values.length === VECTOR_DIMENSIONS && values.every((value) => value === 1 || value === -1)
}

/**
 * The rules of similarity search for each service. A vector is 256 values of 1 or -1: for text, the chunks that
 * `packages/fingerprint` computes; for images and frames, PDQ hashes or the signs of an embedding that the application
 * chooses.
 *
 * @module
 */
import * as z from 'zod'
import { pure } from '../base/pure.ts'

export const VECTOR_DIMENSIONS = 256
export const VECTOR_SERVICES = ['text', 'semantic', 'fragment', 'video'] as const
export type VectorService = (typeof VECTOR_SERVICES)[number]

export interface VectorRule {
  /** Maximum vectors per asset. */
  readonly maxVectors: number
  /** Maximum vectors per search; each one scans every vector of the service. */
  readonly maxQueryVectors: number
  /** Two vectors match if they differ in at most this many values. */
  readonly maxDistance: number
}

/**
 * Distances: for text, as measured for its fingerprint; 64 of 256 for fragments and frames, which random vectors reach
 * once in 4 · 10^15 pairs; 80 for whole images, once in 10^9.
 */
export const VECTOR_RULES: { readonly [S in VectorService]: VectorRule } = {
  text: { maxVectors: 5_000, maxQueryVectors: 100, maxDistance: 76 },
  semantic: { maxVectors: 16, maxQueryVectors: 4, maxDistance: 80 },
  fragment: { maxVectors: 500, maxQueryVectors: 100, maxDistance: 64 },
  video: { maxVectors: 1_000, maxQueryVectors: 100, maxDistance: 64 },
}

/** Assets per response. */
export const DEFAULT_MATCHES = 10
export const MAX_MATCHES = 20

const vectorRuleSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      provisioned: z.boolean().meta({ description: 'Whether an index is bound; without one the service returns 503' }),
      dimensions: z.literal(VECTOR_DIMENSIONS),
      maxVectors: z.int().meta({ description: 'Maximum vectors per asset' }),
      maxQueryVectors: z.int().meta({ description: 'Maximum vectors per search' }),
      maxDistance: z.int().meta({ description: 'Two vectors match if they differ in at most this many values' }),
    })
    .meta({ id: 'VectorRule' }),
)
export const vectorServicesSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      text: vectorRuleSchema,
      semantic: vectorRuleSchema,
      fragment: vectorRuleSchema,
      video: vectorRuleSchema,
    })
    .meta({ id: 'VectorServices', description: 'Rules of similarity search per service' }),
)
export type VectorServices = z.infer<typeof vectorServicesSchema>

export const signVectorSchema = /* @__PURE__ */ pure(() =>
  z
    .array(z.union([z.literal(1), z.literal(-1)]))
    .length(VECTOR_DIMENSIONS)
    .meta({ id: 'SignVector', description: 'Exactly 256 values, each 1 or -1' }),
)
export type Sign = 1 | -1

/** Whether the values form a vector. Hand-written because a schema is slow on a million values. */
export function isSignVector(values: readonly unknown[]): values is Sign[] {
  return values.length === VECTOR_DIMENSIONS && values.every((value) => value === 1 || value === -1)
}

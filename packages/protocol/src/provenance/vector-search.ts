/** Vector search for images and videos, and the vectors of a capsule (workers/docs/pages/developer/vectors.md). */
import * as z from 'zod'
import { pure } from '../base/pure.ts'
import { DEFAULT_MATCHES, MAX_MATCHES, signVectorSchema, VECTOR_RULES, type VectorService } from './vector-services.ts'

export type MediaService = Exclude<VectorService, 'text'>
export const MEDIA_SERVICES = ['semantic', 'fragment', 'video'] as const satisfies readonly MediaService[]

const limit = /* @__PURE__ */ pure(() =>
  z.int().min(1).max(MAX_MATCHES).default(DEFAULT_MATCHES).meta({ description: 'Maximum number of assets to return' }),
)
const queryOf = (service: MediaService, id: string) =>
  z
    .strictObject({ vectors: z.array(signVectorSchema).min(1).max(VECTOR_RULES[service].maxQueryVectors), limit })
    .meta({ id })
export const semanticSearchSchema = /* @__PURE__ */ queryOf('semantic', 'SemanticSearch')
export const fragmentSearchSchema = /* @__PURE__ */ queryOf('fragment', 'FragmentSearch')
export const videoSearchSchema = /* @__PURE__ */ queryOf('video', 'VideoSearch')
export type VectorSearch = z.infer<typeof videoSearchSchema>

const frameSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      at_ms: z.int().min(0).meta({ description: 'Position in the video, in ms' }),
      values: signVectorSchema,
    })
    .meta({ id: 'VideoFrame' }),
)

/** Vectors to find a capsule by. Each service present needs at least one vector. */
export const capsuleVectorsSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      semantic: z.array(signVectorSchema).min(1).max(VECTOR_RULES.semantic.maxVectors).optional(),
      fragment: z.array(signVectorSchema).min(1).max(VECTOR_RULES.fragment.maxVectors).optional(),
      video: z.array(frameSchema).min(1).max(VECTOR_RULES.video.maxVectors).optional(),
    })
    .meta({ id: 'CapsuleVectors', description: 'Search vectors computed by the device; they cannot be verified' }),
)
export type CapsuleVectors = z.infer<typeof capsuleVectorsSchema>

const count = /* @__PURE__ */ pure(() => z.int().min(0))
const share = /* @__PURE__ */ pure(() => z.number().min(0).max(1))
const vectorMatchSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      asset_id: z.string(),
      did: z.string().meta({ description: 'The identity that registered the capsule' }),
      score: share,
      query_containment: share.meta({ description: 'Share of `vectors` that match a vector of the asset' }),
      asset_containment: share.meta({ description: 'Share of the asset’s vectors that are matched' }),
      vectors: z.array(
        z
          .strictObject({
            query: count.meta({ description: 'Index into `vectors`' }),
            index: count.meta({ description: 'Index of the asset’s vector' }),
            distance: count.meta({ description: 'Number of the 256 values that differ' }),
            at_ms: count.optional().meta({ description: 'Position in the video, in ms; only for videos' }),
          })
          .meta({ id: 'MatchedVector' }),
      ),
    })
    .meta({ id: 'VectorMatch' }),
)

export const vectorMatchesSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      matches: z.array(vectorMatchSchema).max(MAX_MATCHES).meta({ description: 'Best match first' }),
      count,
      searched: z.int().min(1),
    })
    .meta({ id: 'VectorMatches' }),
)
export type VectorMatches = z.infer<typeof vectorMatchesSchema>

/** Search for images and videos by vectors, and the vectors that a capsule may come with (document 2 section 4.1). */
import * as z from 'zod'
import { DEFAULT_MATCHES, MAX_MATCHES, signVectorSchema, VECTOR_RULES, type VectorService } from './vector-services.ts'

export type MediaService = Exclude<VectorService, 'text'>
export const MEDIA_SERVICES = ['semantic', 'fragment', 'video'] as const satisfies readonly MediaService[]

const limit = z.int().min(1).max(MAX_MATCHES).default(DEFAULT_MATCHES).meta({ description: 'Assets in the answer' })
const queryOf = (service: MediaService, id: string) =>
  z
    .strictObject({ vectors: z.array(signVectorSchema).min(1).max(VECTOR_RULES[service].maxQueryVectors), limit })
    .meta({ id })
export const semanticSearchSchema = queryOf('semantic', 'SemanticSearch')
export const fragmentSearchSchema = queryOf('fragment', 'FragmentSearch')
export const videoSearchSchema = queryOf('video', 'VideoSearch')
export type VectorSearch = z.infer<typeof videoSearchSchema>

const frameSchema = z
  .strictObject({ at_ms: z.int().min(0).meta({ description: 'Where in the video' }), values: signVectorSchema })
  .meta({ id: 'VideoFrame' })

/** What a capsule may come with, to be found by. Each service that is named gets at least one vector. */
export const capsuleVectorsSchema = z
  .strictObject({
    semantic: z.array(signVectorSchema).min(1).max(VECTOR_RULES.semantic.maxVectors).optional(),
    fragment: z.array(signVectorSchema).min(1).max(VECTOR_RULES.fragment.maxVectors).optional(),
    video: z.array(frameSchema).min(1).max(VECTOR_RULES.video.maxVectors).optional(),
  })
  .meta({ id: 'CapsuleVectors', description: 'Vectors that the device made, to be found by; nobody can check them' })
export type CapsuleVectors = z.infer<typeof capsuleVectorsSchema>

const count = z.int().min(0)
const share = z.number().min(0).max(1)
const vectorMatchSchema = z
  .strictObject({
    asset_id: z.string(),
    did: z.string().meta({ description: 'Who registered the capsule' }),
    score: share,
    query_containment: share.meta({ description: 'The share of `vectors` that match one of the asset’s' }),
    asset_containment: share.meta({ description: 'The share of the asset’s vectors that are matched' }),
    vectors: z.array(
      z
        .strictObject({
          query: count.meta({ description: 'Which of `vectors`' }),
          index: count.meta({ description: 'Which of the asset’s' }),
          distance: count.meta({ description: 'In how many of 256 values the two differ' }),
          at_ms: count.optional().meta({ description: 'Of a video: where in it' }),
        })
        .meta({ id: 'MatchedVector' }),
    ),
  })
  .meta({ id: 'VectorMatch' })

export const vectorMatchesSchema = z
  .strictObject({
    matches: z.array(vectorMatchSchema).max(MAX_MATCHES).meta({ description: 'The best first' }),
    count,
    searched: z.int().min(1),
  })
  .meta({ id: 'VectorMatches' })
export type VectorMatches = z.infer<typeof vectorMatchesSchema>

import {
  fragmentSearchSchema,
  semanticSearchSchema,
  type VectorSearch,
  vectorMatchesSchema,
  videoSearchSchema,
} from '@svc/protocol/provenance/vector-search'
import { isSignVector, VECTOR_RULES } from '@svc/protocol/provenance/vector-services'
import { ApiError, collectionError, defineOperation, type Operation } from '@svc/service'
import { provenanceRoute } from '../service.ts'
import type { Services } from '../services.ts'
import { packSigns } from '../vectors/set.ts'
import { type SearchKind, serviceOf } from './rules.ts'
import type { Match } from './service.ts'
import { SEARCH_TIERS } from './tiers.ts'

type MediaKind = Exclude<SearchKind, 'text'>

/** What the four searches share. */
const shared = {
  method: 'post',
  // An assertion only selects the limit, that of its owner.
  auth: 'optional-assertion',
  audiences: ['provenance'],
  capability: 'any',
  callerTiers: SEARCH_TIERS,
  answer: { status: 200, description: 'The best matches', schema: vectorMatchesSchema },
  tooMany: 'too_many_vectors',
  errors: ['index_not_provisioned', 'dependency_unavailable'],
} as const satisfies Partial<Operation>

/** Before the schema, which is slow to say of 25,600 values that they are wrong. */
const screened = (kind: MediaKind) => (body: unknown) => {
  const { vectors } = (body ?? {}) as { vectors?: unknown }
  if (!Array.isArray(vectors)) return null
  const { maxQueryVectors: limit } = VECTOR_RULES[serviceOf(kind)]
  if (vectors.length > limit) return collectionError({ collection: 'body.vectors', limit }, 'too_many_vectors')
  const wrong = vectors.findIndex((vector) => !Array.isArray(vector) || !isSignVector(vector))
  if (wrong < 0) return null
  return new ApiError('invalid_request', { message: `body.vectors.${wrong}: must be 256 values, each 1 or -1` })
}

export const searchSemantic = defineOperation({
  ...shared,
  id: 'searchSemantic',
  path: '/api/search/semantic',
  summary: 'Find images that look like this one overall',
  description: 'The score is the share of equal values in the nearest vectors.',
  screen: screened('semantic'),
  body: semanticSearchSchema,
})

export const searchFragment = defineOperation({
  ...shared,
  id: 'searchFragment',
  path: '/api/search/fragment',
  summary: 'Find images that contain parts of this one',
  description: 'The score is the share of the query’s vectors that match one of the image’s.',
  screen: screened('fragment'),
  body: fragmentSearchSchema,
})

export const searchVideo = defineOperation({
  ...shared,
  id: 'searchVideo',
  path: '/api/search/video',
  summary: 'Find copies of this video',
  description: 'The score is the smaller of the two containments.',
  screen: screened('video'),
  body: videoSearchSchema,
})

export const searchVideoFragment = defineOperation({
  ...shared,
  id: 'searchVideoFragment',
  path: '/api/search/video/fragment',
  summary: 'Find videos that contain this clip',
  description: 'The score is the share of the query’s frames that match one of the video’s.',
  screen: screened('video-fragment'),
  body: videoSearchSchema,
})

export const searchRoutes = [
  provenanceRoute(searchSemantic, ({ body, deps }) => searched(deps, 'semantic', body)),
  provenanceRoute(searchFragment, ({ body, deps }) => searched(deps, 'fragment', body)),
  provenanceRoute(searchVideo, ({ body, deps }) => searched(deps, 'video', body)),
  provenanceRoute(searchVideoFragment, ({ body, deps }) => searched(deps, 'video-fragment', body)),
]

async function searched({ search }: Pick<Services, 'search'>, kind: MediaKind, { vectors, limit }: VectorSearch) {
  const found = await search.media(kind, packSigns(vectors), limit)
  if (!found.ok) throw new ApiError('index_not_provisioned')
  const matches = found.value.map((asset) => matchOf(asset, serviceOf(kind) === 'video'))
  return { matches, count: matches.length, searched: vectors.length }
}

function matchOf({ row, set, pairs, score, queryContainment, assetContainment }: Match, isVideo: boolean) {
  return {
    asset_id: row.assetId,
    did: row.did,
    score,
    query_containment: queryContainment,
    asset_containment: assetContainment,
    vectors: pairs.map(({ left, right, distance }) => ({
      query: left,
      index: right,
      distance,
      ...(isVideo ? { at_ms: set.places[right]?.start ?? 0 } : {}),
    })),
  }
}

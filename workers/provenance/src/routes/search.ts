import {
  fragmentSearchSchema,
  semanticSearchSchema,
  type VectorSearch,
  vectorMatchesSchema,
  videoSearchSchema,
} from '@svc/protocol/vector-search'
import { VECTOR_RULES } from '@svc/protocol/vector-services'
import { ApiError, defineOperation, type Operation } from '@svc/service'
import { provenanceRoute } from '../route.ts'
import { type SearchKind, serviceOf } from '../search/search.ts'
import type { FoundAsset } from '../search/search-service.ts'
import type { Services } from '../services.ts'
import { packSigns } from '../vectors/vector-set.ts'
import { SEARCH_TIERS } from './search-tiers.ts'

type MediaKind = Exclude<SearchKind, 'text'>

/** What the four have in common. */
const shared = {
  method: 'post',
  auth: 'optional-assertion',
  callerTiers: SEARCH_TIERS,
  answer: { status: 200, description: 'The best matches', schema: vectorMatchesSchema },
  errors: ['too_many_vectors', 'index_not_provisioned', 'dependency_unavailable'],
} as const satisfies Partial<Operation>

const tooMany = (kind: MediaKind) => (body: unknown) => {
  const { vectors } = (body ?? {}) as { vectors?: unknown }
  return Array.isArray(vectors) && vectors.length > VECTOR_RULES[serviceOf(kind)].maxQueryVectors
    ? new ApiError('too_many_vectors')
    : null
}

export const searchSemantic = defineOperation({
  ...shared,
  id: 'searchSemantic',
  path: '/api/search/semantic',
  summary: 'Images that are like this one as a whole',
  description: 'The score is the share of values in which the nearest vectors agree.',
  screen: tooMany('semantic'),
  body: semanticSearchSchema,
})

export const searchFragment = defineOperation({
  ...shared,
  id: 'searchFragment',
  path: '/api/search/fragment',
  summary: 'Images that parts of this one are in',
  description: 'The score is the share of the query’s vectors that match one of the image’s.',
  screen: tooMany('fragment'),
  body: fragmentSearchSchema,
})

export const searchVideo = defineOperation({
  ...shared,
  id: 'searchVideo',
  path: '/api/search/video',
  summary: 'Videos that are this one',
  description: 'The score is the smaller containment: all of each in the other.',
  screen: tooMany('video'),
  body: videoSearchSchema,
})

export const searchVideoFragment = defineOperation({
  ...shared,
  id: 'searchVideoFragment',
  path: '/api/search/video/fragment',
  summary: 'Videos that have this clip',
  description: 'The score is the share of the query’s frames that match one of the video’s.',
  screen: tooMany('video-fragment'),
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

function matchOf({ row, set, pairs, score, queryContainment, assetContainment }: FoundAsset, isVideo: boolean) {
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

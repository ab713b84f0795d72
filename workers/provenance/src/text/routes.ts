import { err, ok, type Result } from '@svc/protocol/base/result'
import {
  MAX_REGISTRATION_BYTES,
  textDeletedSchema,
  textMatchesSchema,
  textParamsSchema,
  textQuerySchema,
  textRegisteredSchema,
  textRegistrationSchema,
} from '@svc/protocol/provenance/text-assets'
import { VECTOR_DIMENSIONS, VECTOR_RULES } from '@svc/protocol/provenance/vector-services'
import { ApiError, collectionError, defineOperation, takenDown } from '@svc/service'
import { budgetError } from '../quota/budget.ts'
import { QUOTA_ERRORS, quotaError } from '../quota/error.ts'
import type { TextMatch } from '../search/service.ts'
import { SEARCH_TIERS } from '../search/tiers.ts'
import { provenanceRoute } from '../service.ts'
import { readTextQuery, readTextRegistration, type TextRefusal } from './rules.ts'

/**
 * A chunk of 256 values is two structures with four named members, and three values beside its vector. What is left is
 * for other members, which are allowed.
 */
const REGISTRATION_BUDGET = {
  values: VECTOR_RULES.text.maxVectors * (VECTOR_DIMENSIONS + 5) + 20_000,
  structures: VECTOR_RULES.text.maxVectors * 6 + 5_000,
}

export const registerText = defineOperation({
  id: 'registerText',
  method: 'post',
  path: '/api/register/text',
  summary: 'Register a text by its vectors',
  description:
    'The device computes the vectors; a body with any of text, title, body or content is rejected. Idempotent: the same ' +
    'asset_id changes nothing, is not charged and returns `duplicate`, except that a registration whose id is the hash of ' +
    'what it registers replaces one whose id is not. The stored manifest contains counts and the asset ' +
    'id. The answer has no envelope.',
  auth: 'assertion',
  audiences: ['provenance'],
  capability: 'provenance:write',
  maxBodyBytes: MAX_REGISTRATION_BYTES,
  budget: REGISTRATION_BUDGET,
  tooMany: 'too many chunks',
  malformed: 'invalid-json',
  body: textRegistrationSchema,
  parse: (body) => publicly(readTextRegistration(body)),
  answer: { status: 200, description: 'Registered, now or earlier', schema: textRegisteredSchema, bare: true },
  errors: [
    'prose_rejected',
    'text index not provisioned',
    'index_full',
    'registration_pending',
    'taken_down',
    'budget_exhausted',
    ...QUOTA_ERRORS,
  ],
})

export const deleteText = defineOperation({
  id: 'deleteText',
  method: 'delete',
  path: '/api/text/{assetId}',
  summary: 'Delete the caller’s own registration of a text',
  description:
    'The text and its vectors go with the last identity that registered it. The unit it cost is not returned.',
  auth: 'assertion',
  audiences: ['provenance'],
  capability: 'provenance:write',
  params: textParamsSchema,
  answer: { status: 200, description: 'Deleted', schema: textDeletedSchema },
  errors: ['not_found', 'dependency_unavailable'],
})

export const queryText = defineOperation({
  id: 'queryText',
  method: 'post',
  path: '/api/query/text',
  summary: 'Find registered texts that share passages with this one',
  description:
    'By vectors computed on the device. Returns each text with its score, both containments, the matched chunks and their ' +
    'words. An assertion only selects the limit.',
  // An assertion only selects the limit, that of its owner.
  auth: 'optional-assertion',
  audiences: ['provenance'],
  capability: 'any',
  callerTiers: SEARCH_TIERS,
  malformed: 'invalid-json',
  tooMany: 'too_many_vectors',
  body: textQuerySchema,
  parse: (body) => publicly(readTextQuery(body)),
  answer: { status: 200, description: 'The best matches', schema: textMatchesSchema },
  errors: [
    'prose_rejected',
    'text vectors must be a non-empty array',
    'text index not provisioned',
    'dependency_unavailable',
  ],
})

export const textRoutes = [
  provenanceRoute(registerText, async ({ caller, body, deps, now, logReason }) => {
    const registered = await deps.texts.register(caller.did, body, now)
    if (registered.ok) {
      const { assetId, chunkCount, wordCount, duplicate, registeredAt, isIndexed } = registered.value
      if (!isIndexed) logReason('text: not indexed')
      return {
        asset_id: assetId,
        chunk_count: chunkCount,
        word_count: wordCount,
        duplicate,
        registered_at_ms: registeredAt,
      }
    }
    switch (registered.error.reason) {
      case 'not_provisioned':
        throw new ApiError('text index not provisioned')
      case 'index_full':
        logReason('text: index full')
        throw new ApiError('index_full')
      case 'pending':
        throw new ApiError('registration_pending', { retryAfterSeconds: 1 })
      case 'taken_down':
        throw takenDown(registered.error.why)
      case 'budget_exhausted':
        throw budgetError(registered.error)
      case 'exhausted':
      case 'unavailable':
        throw quotaError(registered.error)
    }
  }),
  provenanceRoute(deleteText, async ({ caller, params: { assetId }, deps }) => {
    if (!(await deps.texts.remove(caller.did, assetId))) throw new ApiError('not_found')
    return { assetId, deleted: true as const }
  }),
  provenanceRoute(queryText, async ({ body, deps }) => {
    const found = await deps.search.text(body.vectors)
    if (!found.ok) throw new ApiError('text index not provisioned')
    const matches = found.value.map(matchOf)
    return { matches, count: matches.length, searched: body.vectors.length / 32 }
  }),
]

function matchOf({ row, set, chunkCount, wordCount, registeredAt, pairs, spans, ...scored }: TextMatch) {
  return {
    asset_id: row.assetId,
    score: scored.score,
    query_containment: scored.queryContainment,
    asset_containment: scored.assetContainment,
    word_count: wordCount,
    chunk_count: chunkCount,
    registered_at_ms: registeredAt,
    chunks: pairs.flatMap(({ left, right, distance }) => {
      const place = set.places[right]
      return place ? [{ query: left, index: place.index, start: place.start, words: place.extent, distance }] : []
    }),
    spans: spans.map(({ wordStart, wordEnd }) => ({ start: wordStart, words: wordEnd - wordStart })),
  }
}

/** The public error for an invalid body. */
function publicly<T>(read: Result<T, TextRefusal>): Result<T, ApiError> {
  return read.ok ? ok(read.value) : err(textError(read.error))
}

function textError(refusal: TextRefusal): ApiError {
  switch (refusal.reason) {
    case 'prose':
      return new ApiError('prose_rejected', {
        message: `${refusal.key} is not accepted; fingerprint it on the device and send vectors`,
      })
    case 'too_many_chunks':
      return collectionError({ collection: 'body.chunks', limit: VECTOR_RULES.text.maxVectors }, 'too many chunks')
    case 'no_vectors':
      return new ApiError('text vectors must be a non-empty array')
    case 'too_many_vectors':
      return collectionError(
        { collection: 'body.vectors', limit: VECTOR_RULES.text.maxQueryVectors },
        'too_many_vectors',
      )
    case 'invalid':
      return new ApiError('invalid_request', { message: refusal.fault })
  }
}

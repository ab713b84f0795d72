import { didSchema } from '@svc/protocol/base/identity'
import {
  consentBatchAnswerSchema,
  consentBatchSchema,
  consentMissSchema,
  consentRecordSchema,
  MAX_BATCH,
  MAX_BATCH_BYTES,
  malformedHashes,
  missOf,
} from '@svc/protocol/consent/consent'
import { consentHistorySchema, historyQuerySchema } from '@svc/protocol/consent/history-page'
import { contentHashSchema } from '@svc/protocol/consent/identifiers'
import { creatorPageSchema, creatorQuerySchema, optOutSchema, partnerQuerySchema } from '@svc/protocol/consent/queries'
import { ApiError, collectionError, type DeclaredAnswer, defineOperation } from '@svc/service'
import * as z from 'zod'
import { consentRoute } from '../service.ts'
import { batchAnswer } from './batch-answer.ts'
import { cachedAnswer, NOT_MODIFIED } from './cached-answer.ts'
import { MISS_SECONDS } from './read-answer.ts'

/** How long listings may be cached. */
const CREATOR_SECONDS = 120
const PARTNER_SECONDS = 120
/** As short as for a miss: a history grows with every act. */
const HISTORY_SECONDS = MISS_SECONDS

/** Left out where nothing is declared that the vocabulary has a token for. */
const USAGE = { 'X-Svc-Consent': 'The declared preferences as AI-Pref tokens, such as `train-ai=n, search=y`' }

export const hashParams = z.strictObject({ hash: contentHashSchema })
export const MISS: DeclaredAnswer = {
  status: 404,
  description: 'No record exists',
  contentType: 'application/json',
  schema: consentMissSchema,
}

export const readConsent = defineOperation({
  id: 'readConsent',
  method: 'get',
  path: '/api/v1/consent/{hash}',
  summary: 'Read the preferences for an identifier',
  description:
    'Percent-encode the identifier. A record comes with `X-Svc-Consent`, its AI-Pref projection, and may be cached for ' +
    '300 seconds; a miss for 60.',
  auth: 'none',
  params: hashParams,
  answer: { status: 200, description: 'The record', headers: USAGE, schema: consentRecordSchema, bare: true },
  otherAnswers: [{ ...NOT_MODIFIED, headers: USAGE }, MISS],
  errors: ['dependency_unavailable'],
  namesWhatIsMissing: true,
})

export const readConsentHistory = defineOperation({
  id: 'readConsentHistory',
  method: 'get',
  path: '/api/v1/consent/{hash}/history',
  summary: 'List every act on a record, with its signature',
  description:
    'What was declared when, with the signatures. A revoked record keeps its history. An entry with the action `settle` is ' +
    'an operator act that passed the identifier to another creator. `recorded_at` is the service’s claim.',
  auth: 'none',
  params: hashParams,
  query: historyQuerySchema,
  answer: { status: 200, description: 'A page of acts', schema: consentHistorySchema, bare: true },
  otherAnswers: [NOT_MODIFIED, MISS],
  errors: ['dependency_unavailable'],
  namesWhatIsMissing: true,
})

export const listConsentByCreator = defineOperation({
  id: 'listConsentByCreator',
  method: 'get',
  path: '/api/v1/consent/by-creator/{did}',
  summary: 'List the records of a creator',
  description: 'The page is empty for a DID that declares nothing.',
  auth: 'none',
  params: z.strictObject({ did: didSchema }),
  query: creatorQuerySchema,
  answer: { status: 200, description: 'A page of records', schema: creatorPageSchema, bare: true },
  otherAnswers: [NOT_MODIFIED],
  errors: ['dependency_unavailable'],
})

/** Room for ten thousand malformed items, such as objects with a member, so that the refusal names them. */
const BATCH_BUDGET = { values: 2 * MAX_BATCH + 100, structures: 2 * MAX_BATCH + 100 }

export const readConsentBatch = defineOperation({
  id: 'readConsentBatch',
  method: 'post',
  path: '/api/v1/consent/batch',
  summary: 'Look up to 10,000 identifiers',
  description:
    'Results are positional, one per input, including duplicates and misses. A malformed identifier refuses the whole ' +
    'batch; `message` names the positions of up to 20.',
  auth: 'none',
  maxBodyBytes: MAX_BATCH_BYTES,
  budget: BATCH_BUDGET,
  tooMany: 'too_many_items',
  body: consentBatchSchema,
  screen: refusalOf,
  answer: { status: 200, description: 'One result per input', schema: consentBatchAnswerSchema, bare: true },
  // It is streamed, so the handler makes the response itself.
  otherAnswers: [],
  errors: ['dependency_unavailable'],
})

export const checkOptOut = defineOperation({
  id: 'checkOptOut',
  method: 'get',
  path: '/api/v1/partner/opt-out',
  summary: 'Check whether content is opted out of AI training',
  description: 'True unless training is declared as allowed. `source` tells a declaration from the default policy.',
  auth: 'none',
  query: partnerQuerySchema,
  answer: { status: 200, description: 'The answer, with or without a record', schema: optOutSchema, bare: true },
  otherAnswers: [NOT_MODIFIED],
  errors: ['dependency_unavailable'],
})

/** Too many, or malformed; any other fault is the schema's. */
function refusalOf(body: unknown): ApiError | null {
  const hashes: unknown = typeof body === 'object' && body !== null && 'hashes' in body ? body.hashes : null
  if (!Array.isArray(hashes)) return null
  if (hashes.length > MAX_BATCH) return collectionError({ collection: 'body.hashes', limit: MAX_BATCH })
  const message = malformedHashes(hashes)
  return message === null ? null : new ApiError('invalid_request', { message })
}

export const readingRoutes = [
  // Before `{hash}/history`, whose template also matches it.
  consentRoute(listConsentByCreator, async ({ params, query, headers, deps }) => {
    const body = JSON.stringify(await deps.consent.byCreator(params.did, query))
    return cachedAnswer(headers, { body, maxAgeSeconds: CREATOR_SECONDS })
  }),
  consentRoute(readConsent, async ({ params, headers, deps, now }) => {
    const answer = await deps.consent.read(params.hash, now)
    return cachedAnswer(headers, {
      ...answer,
      ageSeconds: Math.floor((now - answer.readAt) / 1000),
      headers: answer.usage === null ? {} : { 'x-svc-consent': answer.usage },
    })
  }),
  consentRoute(readConsentHistory, async ({ params, query, headers, deps, now }) => {
    const history = await deps.consent.history(params.hash, query, now)
    const body = JSON.stringify(history ?? missOf(params.hash))
    return cachedAnswer(headers, {
      body,
      maxAgeSeconds: HISTORY_SECONDS,
      ...(history ? {} : { status: 404, etag: null }),
    })
  }),
  consentRoute(readConsentBatch, async ({ body: { hashes }, deps }) =>
    batchAnswer(hashes, await deps.consent.readMany(hashes)),
  ),
  consentRoute(checkOptOut, async ({ query, headers, deps }) => {
    const body = JSON.stringify(await deps.consent.optOut(query.hash))
    return cachedAnswer(headers, { body, maxAgeSeconds: PARTNER_SECONDS })
  }),
]

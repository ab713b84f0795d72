import {
  checkBatchSchema,
  checkedBatchSchema,
  checkedSchema,
  checkedWithStatusSchema,
  checkRequestSchema,
  MAX_BATCH_BYTES,
  MAX_BATCH_ITEMS,
} from '@svc/protocol/provenance/signature-check'
import { ApiError, collectionError, defineOperation } from '@svc/service'
import { provenanceRoute } from '../service.ts'

const CHECK_ERRORS = ['verification_failed', 'nonce_replay', 'dependency_unavailable'] as const
const NONCE_NOTE =
  'The nonce is not part of the signed message; it is spent only if the signature verifies, and remembered with the key ' +
  'for at least ten and at most twenty minutes.'

export const verifySignature = defineOperation({
  id: 'verifySignature',
  method: 'post',
  path: '/api/verify',
  summary: 'Verify a signature: 200 only if it is valid',
  description: `400 if it is not, and if the nonce was used before with this key. ${NONCE_NOTE}`,
  auth: 'none',
  body: checkRequestSchema,
  answer: { status: 200, description: 'Valid', schema: checkedSchema },
  errors: CHECK_ERRORS,
})

export const verifyBatch = defineOperation({
  id: 'verifyBatch',
  method: 'post',
  path: '/api/verify/batch',
  summary: 'Verify up to a hundred signatures',
  description: `A malformed, invalid or repeated item does not affect the others. ${NONCE_NOTE}`,
  auth: 'none',
  body: checkBatchSchema,
  maxBodyBytes: MAX_BATCH_BYTES,
  tooMany: 'too_many_items',
  screen: (body) => {
    const items = typeof body === 'object' && body !== null && 'items' in body ? body.items : undefined
    if (!Array.isArray(items) || items.length <= MAX_BATCH_ITEMS) return null
    return collectionError({ collection: 'body.items', limit: MAX_BATCH_ITEMS })
  },
  answer: { status: 200, description: 'Results are positional, one per item', schema: checkedBatchSchema },
})

export const verifyWithKeyStatus = defineOperation({
  id: 'verifyWithKeyStatus',
  method: 'post',
  path: '/api/verify/with-key-status',
  summary: 'Verify a signature and report the status of its key at core',
  description: `The same errors as \`/api/verify\`; 503 while core cannot answer. ${NONCE_NOTE}`,
  auth: 'none',
  body: checkRequestSchema,
  answer: { status: 200, description: 'Valid', schema: checkedWithStatusSchema },
  errors: CHECK_ERRORS,
})

export const verificationRoutes = [
  provenanceRoute(verifySignature, async ({ body, deps }) => {
    const checked = await deps.verification.check(body)
    if (checked.ok) return checked.value
    throw new ApiError(checked.error.reason)
  }),
  provenanceRoute(verifyBatch, ({ body, deps }) => deps.verification.checkAll(body.items)),
  provenanceRoute(verifyWithKeyStatus, async ({ body, deps, now }) => {
    const checked = await deps.verification.checkWithStatus(body, now)
    if (checked.ok) return checked.value
    throw new ApiError(checked.error.reason)
  }),
]

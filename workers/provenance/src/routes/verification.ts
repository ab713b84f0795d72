import {
  checkBatchSchema,
  checkedBatchSchema,
  checkedSchema,
  checkedWithStatusSchema,
  checkRequestSchema,
  MAX_BATCH_BYTES,
  MAX_BATCH_ITEMS,
} from '@svc/protocol/signature-check'
import { ApiError, defineOperation } from '@svc/service'
import { provenanceRoute } from '../route.ts'

const CHECK_ERRORS = ['verification_failed', 'nonce_replay', 'dependency_unavailable'] as const
const NONCE_NOTE =
  'The nonce is not part of what was signed; it is spent only when the signature verifies, and remembered with ' +
  'the key for ten minutes at least and twenty at most.'

export const verifySignature = defineOperation({
  id: 'verifySignature',
  method: 'post',
  path: '/api/verify',
  summary: 'Verify one signature: 200 only when it is valid',
  description: `400 when it is not, and when the nonce was used before with this key. ${NONCE_NOTE}`,
  auth: 'none',
  body: checkRequestSchema,
  answer: { status: 200, description: 'Valid', schema: checkedSchema },
  errors: CHECK_ERRORS,
})

export const verifyBatch = defineOperation({
  id: 'verifyBatch',
  method: 'post',
  path: '/api/verify/batch',
  summary: 'Verify up to a hundred signatures, each with its own answer',
  description: `An item that is malformed, not valid or repeated spoils no other. ${NONCE_NOTE}`,
  auth: 'none',
  body: checkBatchSchema,
  maxBodyBytes: MAX_BATCH_BYTES,
  screen: (body) => {
    const items = typeof body === 'object' && body !== null && 'items' in body ? body.items : undefined
    return Array.isArray(items) && items.length > MAX_BATCH_ITEMS ? new ApiError('too_many_items') : null
  },
  answer: { status: 200, description: 'One answer for each item, in order', schema: checkedBatchSchema },
  errors: ['too_many_items'],
})

export const verifyWithKeyStatus = defineOperation({
  id: 'verifyWithKeyStatus',
  method: 'post',
  path: '/api/verify/with-key-status',
  summary: 'Verify one signature and say how its key stands at core',
  description: `Refuses as \`/api/verify\` does; 503 while core cannot say. ${NONCE_NOTE}`,
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

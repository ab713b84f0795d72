import type { SpendRefusal } from '@svc/assertion'
import { appendRequestSchema } from '@svc/protocol/chain'
import {
  appendedSchema,
  blockIdSchema,
  blocksAnswerSchema,
  blocksQuerySchema,
  headAnswerSchema,
  payloadAnswerSchema,
} from '@svc/protocol/chain-api'
import { syncStatusSchema } from '@svc/protocol/discovery'
import { ApiError, defineOperation, isSpendRefusal, spendError } from '@svc/service'
import * as z from 'zod'
import type { AppendRefusal } from '../chain/chain.ts'
import type { BlockFault } from '../chain/chain-service.ts'
import { CORE_REFUSALS } from '../refusals.ts'
import { coreRoute } from '../route.ts'

export const appendBlock = defineOperation({
  id: 'appendBlock',
  method: 'post',
  path: '/api/chain/append',
  summary: 'Append a block to the caller’s chain',
  description:
    'The block must name the current head (`index`, `previousHash`) and the caller’s current root key. Of any number ' +
    'of appends to one head exactly one succeeds; the others get 409 `stale_head` with the head in `details`, and ' +
    '`details.appended` its receipt when this very block is already in place, so that a retry can tell it has won.',
  auth: 'assertion-with-work',
  body: appendRequestSchema,
  answer: { status: 201, description: 'Appended', schema: appendedSchema },
  errors: ['invalid_signature', 'owner_mismatch', 'profile_not_accepted', 'stale_head', 'stale_epoch', 'security_hold'],
})

export const readHead = defineOperation({
  id: 'readHead',
  method: 'get',
  path: '/api/chain/head',
  summary: 'Index and hash of the newest block of the caller’s chain',
  auth: 'assertion-with-work',
  answer: { status: 200, description: 'The head', schema: headAnswerSchema },
})

export const listBlocks = defineOperation({
  id: 'listBlocks',
  method: 'get',
  path: '/api/chain/blocks',
  summary: 'A page of the caller’s blocks, ascending',
  description:
    'While `indexing` is present the projection behind `contentType` is being rebuilt: a filtered page may be ' +
    'partial and must not be taken for full history.',
  auth: 'assertion-with-work',
  query: blocksQuerySchema,
  answer: { status: 200, description: 'One page', schema: blocksAnswerSchema },
})

export const readPayload = defineOperation({
  id: 'readPayload',
  method: 'get',
  path: '/api/chain/payload/{blockId}',
  summary: 'The payload that a block was appended with',
  auth: 'assertion-with-work',
  params: z.strictObject({ blockId: blockIdSchema }),
  answer: { status: 200, description: 'The payload', schema: payloadAnswerSchema },
  errors: ['not_found'],
})

export const readSyncStatus = defineOperation({
  id: 'readSyncStatus',
  method: 'get',
  path: '/api/sync/status',
  summary: 'Whether and since when the server holds records of the caller',
  auth: 'assertion-with-work',
  answer: { status: 200, description: 'Sync status', schema: syncStatusSchema },
})

export const chainRoutes = [
  coreRoute(appendBlock, async ({ assertion, body, deps, now }) => {
    const { payloadB64u, ...block } = body
    const appended = await deps.chain.append(assertion.take(), { block, payloadB64u })
    if (appended.ok) return appended.value
    throw chainError(appended.error, now)
  }),
  coreRoute(readHead, async ({ assertion, deps, now }) => {
    const read = await deps.chain.head(assertion.take())
    if (read.ok) return read.value
    throw chainError(read.error, now)
  }),
  coreRoute(listBlocks, async ({ assertion, query, deps, now }) => {
    const read = await deps.chain.blocks(assertion.take(), query)
    if (read.ok) return read.value
    throw chainError(read.error, now)
  }),
  coreRoute(readPayload, async ({ assertion, params, deps, now }) => {
    const read = await deps.chain.payload(assertion.take(), params.blockId)
    if (read.ok) return read.value
    throw chainError(read.error, now)
  }),
  coreRoute(readSyncStatus, async ({ assertion, deps, now }) => {
    const read = await deps.chain.syncStatus(assertion.take())
    if (read.ok) return read.value
    throw chainError(read.error, now)
  }),
]

type ChainRefusal = SpendRefusal | AppendRefusal | BlockFault | { readonly reason: 'not_found' }

/** The one mapping from what a chain refuses to what the caller is told. */
function chainError(refusal: ChainRefusal, now: number): ApiError {
  if (isSpendRefusal(refusal)) return spendError(refusal, CORE_REFUSALS, now)
  switch (refusal.reason) {
    case 'payload_mismatch':
      return new ApiError('invalid_request', { message: 'body.payloadB64u: must hash to dataHash' })
    case 'invalid_signature':
    case 'profile_not_accepted':
    case 'owner_mismatch':
    case 'not_found':
      return new ApiError(refusal.reason)
    case 'security_hold':
      return new ApiError('security_hold', { details: { appended: refusal.appended } })
    case 'stale_epoch':
      return new ApiError('stale_epoch', { details: { epoch: refusal.epoch } })
    case 'stale_head':
      return new ApiError('stale_head', { details: { head: refusal.head, appended: refusal.appended } })
  }
}

import type { SpendRefusal } from '@svc/assertion'
import {
  appendedSchema,
  blockIdSchema,
  blocksAnswerSchema,
  blocksQuerySchema,
  headAnswerSchema,
  payloadAnswerSchema,
  syncStatusSchema,
} from '@svc/protocol/chain/api'
import { appendRequestSchema } from '@svc/protocol/chain/chain'
import { ApiError, defineOperation, isSpendRefusal, spendError } from '@svc/service'
import * as z from 'zod'
import { CORE_REFUSALS, coreRoute } from '../service.ts'
import { budgetError } from '../storage/error.ts'
import type { AppendRefusal } from './rules.ts'
import type { BlockRefusal } from './service.ts'

export const appendBlock = defineOperation({
  id: 'appendBlock',
  method: 'post',
  path: '/api/chain/append',
  summary: 'Append a block to the caller’s chain',
  description:
    'The block must follow the current head (`index`, `previousHash`) and name the caller’s current root key. Of any ' +
    'number of concurrent appends, exactly one succeeds; the others get 409 `stale_head` with the head in `details`. ' +
    '`details.appended` holds the receipt if this block is already stored, so that a retry can tell that it succeeded.',
  auth: 'assertion-with-work',
  audiences: ['chain'],
  capability: 'chain:append',
  body: appendRequestSchema,
  answer: { status: 201, description: 'Appended', schema: appendedSchema },
  errors: [
    'invalid_signature',
    'owner_mismatch',
    'profile_not_accepted',
    'stale_head',
    'stale_epoch',
    'security_hold',
    'budget_exhausted',
    'dependency_unavailable',
  ],
})

export const readHead = defineOperation({
  id: 'readHead',
  method: 'get',
  path: '/api/chain/head',
  summary: 'Read the index and hash of the caller’s newest block',
  description:
    'Read it before you append: the next block has the following `index`, and `hash` as its `previousHash`. Of ' +
    'concurrent appends to one head only one succeeds. `pending` is present while a rotation or deactivation of the ' +
    'identity is.',
  auth: 'assertion-with-work',
  audiences: ['chain'],
  capability: 'chain:read',
  answer: { status: 200, description: 'The head', schema: headAnswerSchema },
})

export const listBlocks = defineOperation({
  id: 'listBlocks',
  method: 'get',
  path: '/api/chain/blocks',
  summary: 'List the caller’s blocks, ascending',
  description:
    'While `indexing` is present, the index for `contentType` is being rebuilt: a filtered page may be incomplete. Do ' +
    'not treat it as full history.',
  auth: 'assertion-with-work',
  audiences: ['chain'],
  capability: 'chain:read',
  query: blocksQuerySchema,
  answer: { status: 200, description: 'One page', schema: blocksAnswerSchema },
})

export const readPayload = defineOperation({
  id: 'readPayload',
  method: 'get',
  path: '/api/chain/payload/{blockId}',
  summary: 'Read the payload of a block',
  description:
    '`blockId` is an index or the hash of a block. The bytes are as they were sent, at most 184,320 of them; their ' +
    'SHA3-384 must be `dataHash`, which the block commits to. 404 also for a block that was appended without a ' +
    'payload.',
  auth: 'assertion-with-work',
  audiences: ['chain'],
  capability: 'chain:read',
  params: z.strictObject({ blockId: blockIdSchema }),
  answer: { status: 200, description: 'The payload', schema: payloadAnswerSchema },
  errors: ['not_found'],
})

export const readSyncStatus = defineOperation({
  id: 'readSyncStatus',
  method: 'get',
  path: '/api/sync/status',
  summary: 'Check whether, and since when, the server has records of the caller',
  description:
    'For a client that starts without local data. `hasBackup` is true if core has a block after genesis; `lastSync` ' +
    'is when it accepted the newest one, in epoch ms. `pending` is present while a rotation or deactivation of the ' +
    'identity is.',
  auth: 'assertion-with-work',
  audiences: ['chain'],
  capability: 'account:read',
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

type ChainRefusal = SpendRefusal | AppendRefusal | BlockRefusal | { readonly reason: 'not_found' }

/** The only mapping from refusals of the chain to public errors. */
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
    case 'budget_exhausted':
      return budgetError(refusal)
    case 'security_hold':
      return new ApiError('security_hold', { details: { appended: refusal.appended } })
    case 'stale_epoch':
      return new ApiError('stale_epoch', { details: { epoch: refusal.epoch } })
    case 'stale_head':
      return new ApiError('stale_head', { details: { head: refusal.head, appended: refusal.appended } })
  }
}

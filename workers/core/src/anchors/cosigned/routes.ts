import { signedCosignatureSchema } from '@svc/protocol/keys/cosignature'
import { anchorIdSchema } from '@svc/protocol/ledger/anchors'
import { anchorCosignedSchema } from '@svc/protocol/ledger/cosigned/anchor-cosigned'
import { ApiError, defineOperation } from '@svc/service'
import * as z from 'zod'
import { coreRoute } from '../../service.ts'
import { GROWING } from '../feed-routes.ts'
import { findError } from '../routes.ts'

export const cosignAnchorLog = defineOperation({
  id: 'cosignAnchorLog',
  method: 'post',
  path: '/api/anchors/cosignatures',
  summary: 'Submit a cosignature of a log of anchors, as a witness',
  description:
    'The credential is the statement’s signature by a configured witness key. The first of each witness and size is kept ' +
    'for good, and is the answer to every later one.',
  auth: 'none',
  limit: { counter: 'cosignAnchorLog', limit: 20, protects: 'storage' },
  body: signedCosignatureSchema,
  answer: { status: 200, description: 'The one that is kept', schema: signedCosignatureSchema, bare: true },
  errors: ['unknown_signer', 'invalid_signature', 'not_found', 'log_fork', 'dependency_unavailable'],
})

export const readCosigned = defineOperation({
  id: 'readCosigned',
  method: 'get',
  path: '/api/anchors/{id}/cosigned',
  summary: 'Read when witnesses first saw an anchor in its log',
  description:
    'Of each witness the first state of the log that covers the anchor, with the audit path at that size. Its `issuedAt` is ' +
    'the time by the clock of the witness. You decide which witnesses to trust. Empty until one has cosigned.',
  auth: 'none',
  params: z.strictObject({ id: anchorIdSchema }),
  answer: { status: 200, description: 'The cosignatures', schema: anchorCosignedSchema, bare: true },
  errors: ['not_found', 'withheld', 'dependency_unavailable'],
  cacheControl: () => GROWING,
})

export const anchorCosignRoutes = [
  coreRoute(cosignAnchorLog, async ({ body, deps }) => {
    const kept = await deps.anchorCosigning.cosign(body)
    if (kept.ok) return kept.value
    throw new ApiError(kept.error.reason)
  }),
  coreRoute(readCosigned, async ({ params: { id: anchorId }, deps }) => {
    const read = await deps.anchors.find(anchorId)
    if (!read.ok) throw findError(read.error)
    const { position } = read.value
    if (!position) throw new ApiError('not_found')
    return { anchorId, position, cosigned: await deps.anchorCosigning.covering(position) }
  }),
]

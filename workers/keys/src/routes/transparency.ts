import { hashSchema } from '@svc/protocol/hash'
import {
  auditAnswerSchema,
  checkpointAnswerSchema,
  entriesAnswerSchema,
  inclusionAnswerSchema,
  signedCosignatureSchema,
} from '@svc/protocol/transparency'
import { ApiError, defineOperation } from '@svc/service'
import * as z from 'zod'
import { keysRoute } from '../route.ts'

/** Document 2 section 4.4: five seconds at the edge, and nothing stale after them. */
const cacheControl = 'public, max-age=5, must-revalidate'
const LOG_ERRORS = ['not_found', 'log_unavailable', 'dependency_unavailable'] as const
const count = '(?:[1-9][0-9]{0,14})'

export const proveLeaf = defineOperation({
  id: 'proveLeaf',
  method: 'get',
  path: '/api/transparency/proof/{id}',
  summary: 'That a credential or a revocation is in the log',
  description: 'By the `leafId` of the statement. 404 until the next batch, about a second after it was acknowledged.',
  auth: 'none',
  params: z.strictObject({ id: hashSchema }),
  answer: { status: 200, description: 'Audit path and signed checkpoint', schema: inclusionAnswerSchema },
  errors: LOG_ERRORS,
  cacheControl,
})

export const auditLog = defineOperation({
  id: 'auditLog',
  method: 'get',
  path: '/api/transparency/audit/{id}',
  summary: 'That an earlier state of the log is a prefix of a later one',
  description: '`{id}` is a size, or two: `100` asks for 100 and the log as it is, `100-2000` for 100 and 2,000.',
  auth: 'none',
  params: z.strictObject({
    id: z.string().regex(new RegExp(`^${count}(?:-${count})?$`), 'must be a size, or two sizes with a hyphen'),
  }),
  answer: { status: 200, description: 'Consistency proof and signed checkpoint', schema: auditAnswerSchema },
  errors: LOG_ERRORS,
  cacheControl,
})

export const readCheckpoint = defineOperation({
  id: 'readCheckpoint',
  method: 'get',
  path: '/api/transparency/checkpoint',
  summary: 'Size and root of the log, signed now, with what witnesses have signed',
  auth: 'none',
  answer: { status: 200, description: 'The checkpoint', schema: checkpointAnswerSchema },
  errors: ['log_unavailable', 'dependency_unavailable'],
  cacheControl,
})

export const readEntries = defineOperation({
  id: 'readEntries',
  method: 'get',
  path: '/api/transparency/entries/{bundle}',
  summary: 'What 256 consecutive leaves hash, for whoever computes the tree again',
  auth: 'none',
  params: z.strictObject({ bundle: z.string().regex(/^(?:0|[1-9][0-9]{0,11})$/, 'must be a number') }),
  answer: { status: 200, description: 'The entries, fewer at the end of the log', schema: entriesAnswerSchema },
  errors: ['not_found', 'dependency_unavailable'],
  cacheControl,
})

export const cosignCheckpoint = defineOperation({
  id: 'cosignCheckpoint',
  method: 'post',
  path: '/api/transparency/cosignatures',
  summary: 'A witness has seen a state of the log',
  description: 'The credential is the statement’s signature by a witness key that the deployment knows.',
  auth: 'none',
  limit: { counter: 'cosignCheckpoint', limit: 20 },
  body: signedCosignatureSchema,
  answer: { status: 200, description: 'Kept, unless a newer one is', schema: signedCosignatureSchema },
  errors: ['unknown_signer', 'invalid_signature', 'not_found', 'log_fork', 'dependency_unavailable'],
})

export const transparencyRoutes = [
  keysRoute(proveLeaf, async ({ params: { id }, deps, now }) => {
    const found = await deps.transparency.inclusion(id, now)
    if (found.ok) return found.value
    throw new ApiError(found.error.reason)
  }),
  keysRoute(auditLog, async ({ params: { id }, deps, now }) => {
    const [first = 0, second = null] = id.split('-').map(Number)
    const found = await deps.transparency.audit(first, second, now)
    if (found.ok) return found.value
    throw new ApiError(found.error.reason)
  }),
  keysRoute(readCheckpoint, async ({ deps, now }) => {
    const answer = await deps.transparency.checkpoint(now)
    if (!answer) throw new ApiError('log_unavailable')
    return answer
  }),
  keysRoute(readEntries, async ({ params: { bundle }, deps }) => {
    const found = await deps.transparency.entries(Number(bundle))
    if (found.ok) return found.value
    throw new ApiError(found.error.reason)
  }),
  keysRoute(cosignCheckpoint, async ({ body, deps }) => {
    const kept = await deps.transparency.cosign(body)
    if (kept.ok) return kept.value
    throw new ApiError(kept.error.reason)
  }),
]

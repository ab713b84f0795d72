import { hashHexAsync, hashSchema } from '@svc/protocol/base/hash'
import { decodeCursor, encodeCursor } from '@svc/protocol/merkle/cursor'
import {
  KEYPOINT_FILE,
  keypointPageSchema,
  keypointQuerySchema,
  keypointsDeletedSchema,
  keypointsSchema,
  MAX_KEYPOINT_BYTES,
  MAX_PAGE_KEYPOINTS,
} from '@svc/protocol/provenance/model-files'
import { ApiError, defineOperation, takenDown } from '@svc/service'
import * as z from 'zod'
import { budgetError } from '../quota/budget.ts'
import { provenanceRoute } from '../service.ts'
import { file, served } from './routes.ts'

export const uploadKeypoints = defineOperation({
  id: 'uploadKeypoints',
  method: 'post',
  path: '/api/keypoints/upload',
  summary: 'Upload a keypoint blob',
  description: 'The blob is opaque to the service and named by its SHA3-384. Send `hash` to have it checked.',
  auth: 'assertion',
  audiences: ['provenance'],
  capability: 'provenance:write',
  // Half a megabyte each: an identity fills 250 MB in a day.
  callerWindow: { counter: 'keypoints', limit: 500, seconds: 86_400, protects: 'storage', tier: 'keypoints' },
  query: z.strictObject({ hash: hashSchema.optional() }),
  rawBody: ['application/octet-stream'],
  maxBodyBytes: MAX_KEYPOINT_BYTES,
  answer: { status: 200, description: 'Stored', schema: keypointsSchema },
  errors: ['hash_mismatch', 'taken_down', 'budget_exhausted', 'dependency_unavailable'],
})

export const readKeypoints = defineOperation({
  ...file,
  errors: [...file.errors, 'taken_down'],
  id: 'readKeypoints',
  path: '/keypoints/{file}',
  summary: 'Read a keypoint blob: 96 lowercase hex characters and .akpb',
  description: 'Public; scripts only from allowlisted origins. Supports one byte range.',
  params: z.strictObject({ file: z.string() }),
})

export const listKeypoints = defineOperation({
  id: 'listKeypoints',
  method: 'get',
  path: '/api/keypoints',
  summary: 'List the caller’s keypoint blobs',
  description: `By hash, ${MAX_PAGE_KEYPOINTS} per page.`,
  auth: 'assertion',
  audiences: ['provenance'],
  capability: 'provenance:write',
  query: keypointQuerySchema,
  answer: { status: 200, description: 'A page', schema: keypointPageSchema },
  errors: ['invalid_cursor', 'dependency_unavailable'],
})

export const deleteKeypoints = defineOperation({
  id: 'deleteKeypoints',
  method: 'delete',
  path: '/api/keypoints/{hash}',
  summary: 'Delete a keypoint blob',
  description: 'The bytes are deleted with the last identity that uploaded them.',
  auth: 'assertion',
  audiences: ['provenance'],
  capability: 'provenance:write',
  params: z.strictObject({ hash: hashSchema }),
  answer: { status: 200, description: 'Deleted', schema: keypointsDeletedSchema },
  errors: ['not_found', 'dependency_unavailable'],
})

export const keypointRoutes = [
  provenanceRoute(uploadKeypoints, async ({ caller, bytes, query, deps, now }) => {
    if (bytes.length === 0) throw new ApiError('invalid_request', { message: 'body: must not be empty' })
    const mismatch = query.hash !== undefined && (await hashHexAsync(bytes)) !== query.hash
    if (mismatch) throw new ApiError('hash_mismatch')
    const kept = await deps.keypoints.keep(bytes, caller.did, now)
    if (!kept.ok) throw kept.error.reason === 'taken_down' ? takenDown(kept.error.why) : budgetError(kept.error)
    const { hash, duplicate } = kept.value
    return { hash, path: `/keypoints/${hash}.akpb`, bytes: bytes.length, duplicate }
  }),
  provenanceRoute(listKeypoints, async ({ caller, query, deps }) => {
    const list = ['keypoints', caller.did]
    const after = query.cursor === undefined ? '' : decodeCursor(list, query.cursor)
    if (typeof after !== 'string') throw new ApiError('invalid_cursor')
    const found = await deps.keypoints.list(caller.did, after, MAX_PAGE_KEYPOINTS + 1)
    const keypoints = found.slice(0, MAX_PAGE_KEYPOINTS)
    const last = found.length > MAX_PAGE_KEYPOINTS ? keypoints.at(-1) : undefined
    return { keypoints, cursor: last ? encodeCursor(list, last.hash) : null }
  }),
  provenanceRoute(deleteKeypoints, async ({ caller, params: { hash }, deps }) => {
    if (!(await deps.keypoints.remove(hash, caller.did))) throw new ApiError('not_found')
    return { hash, deleted: true as const }
  }),
  provenanceRoute(readKeypoints, async ({ params, deps, ...request }) => {
    const found = KEYPOINT_FILE.test(params.file) ? await deps.keypoints.find(params.file.slice(0, 96)) : null
    if (found && 'why' in found) throw takenDown(found.why)
    return served(deps.files, found, request)
  }),
]

import {
  attachmentParamsSchema,
  attachmentQuerySchema,
  attachmentSchema,
  newAttachmentParamsSchema,
} from '@svc/protocol/notes/api'
import { MAX_ATTACHMENT_BYTES } from '@svc/protocol/notes/notes'
import { ApiError, defineOperation, rangeOf, readRange } from '@svc/service'
import { coreRoute } from '../service.ts'
import { noteError } from './refusals.ts'

const OCTETS = 'application/octet-stream'

export const putAttachment = defineOperation({
  id: 'putAttachment',
  method: 'put',
  path: '/api/notes/{did}/{noteId}/attachments/{attId}',
  summary: 'Upload an encrypted attachment of a note',
  description:
    'The body is streamed and becomes visible once all of it hashes to `cipherHash`. `reuse=true` without a body attaches ' +
    'a ciphertext that the vault already has. Attachments are immutable. Idempotent: returns the existing attachment.',
  auth: 'assertion',
  audiences: ['notes'],
  capability: 'notes:write',
  owner: 'did',
  params: newAttachmentParamsSchema,
  query: attachmentQuerySchema,
  streamBody: { types: [OCTETS], hashParameter: 'cipherHash' },
  maxBodyBytes: MAX_ATTACHMENT_BYTES,
  answer: { status: 200, description: 'The attachment', schema: attachmentSchema },
  errors: [
    'hash_mismatch',
    'unauthorized',
    'not_found',
    'attachment_exists',
    'note_tombstoned',
    'storage_quota',
    'budget_exhausted',
    'dependency_unavailable',
  ],
})

export const readAttachment = defineOperation({
  id: 'readAttachment',
  method: 'get',
  path: '/api/notes/{did}/{noteId}/attachments/{attId}',
  summary: 'Read the ciphertext of an attachment, or one range of it',
  description:
    'The bytes are streamed as they were uploaded, at most 26,214,400 of them. The ETag is the `cipherHash`. A ' +
    'single `Range` is answered with 206: each chunk of 65,536 bytes can be decrypted and authenticated on its own.',
  auth: 'assertion',
  audiences: ['notes'],
  capability: 'notes:read',
  owner: 'did',
  params: attachmentParamsSchema,
  answer: { status: 200, description: 'The ciphertext', contentType: OCTETS },
  otherAnswers: [{ status: 206, description: 'The requested range', contentType: OCTETS }],
  errors: ['not_found', 'range_not_satisfiable'],
})

export const attachmentRoutes = [
  coreRoute(putAttachment, async ({ caller, params, query, stream, deps, now }) => {
    const isReuse = query.reuse === 'true'
    if (isReuse === (stream !== null)) {
      throw new ApiError('invalid_request', { message: 'body: a ciphertext, or reuse=true and nothing' })
    }
    const { noteId, attId: attachmentId } = params
    const upload = { noteId, attachmentId, cipherHash: query.cipherHash, body: stream }
    const attached = await deps.attachments.upload(caller, upload, now)
    if (attached.ok) return attached.value
    throw noteError(attached.error)
  }),
  coreRoute(readAttachment, async ({ caller, params, headers, deps }) => {
    const found = await deps.attachments.find(caller.did, params.noteId, params.attId)
    if (!found.ok) throw noteError(found.error)
    const { r2Key, bytes, cipherHash } = found.value
    const etag = `"${cipherHash}"`
    const range = readRange(rangeOf(headers, etag), bytes)
    if (!range.ok) throw new ApiError('range_not_satisfiable', { headers: { 'content-range': `bytes */${bytes}` } })
    const { start, end } = range.value ?? { start: 0, end: bytes }
    const body = await deps.attachments.open(r2Key, { offset: start, length: end - start })
    return new Response(body.pipeThrough(new FixedLengthStream(end - start)), {
      status: range.value ? 206 : 200,
      headers: {
        etag,
        'accept-ranges': 'bytes',
        'content-length': String(end - start),
        'content-type': OCTETS,
        ...(range.value ? { 'content-range': `bytes ${start}-${end - 1}/${bytes}` } : {}),
      },
    })
  }),
]

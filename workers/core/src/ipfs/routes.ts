import { pinnedSchema, pinRequestSchema } from '@svc/protocol/ledger/pinning'
import { ApiError, type DeclaredAnswer, defineOperation, namesTag, rangeOf, readRange } from '@svc/service'
import * as z from 'zod'
import { coreRoute } from '../service.ts'
import { readContentId } from './content-id.ts'
import { mediaTypeOf, SANDBOX } from './media-type.ts'
import type { PinRefusal } from './service.ts'
import { type FileRefusal, UnixfsFile, type Walk } from './unixfs-file.ts'

const HEAD_BYTES = 1_024
const OCTETS = 'application/octet-stream'
const others: DeclaredAnswer[] = [
  { status: 206, description: 'The requested range', contentType: OCTETS },
  { status: 304, description: 'The caller’s copy matches the CID', contentType: OCTETS },
]

export const readContent = defineOperation({
  id: 'readContent',
  method: 'get',
  path: '/ipfs/{cid}',
  summary: 'Read content by its CID, verified',
  description:
    'From the store, or else from the deployment’s gateway. Supports raw leaves and UnixFS files in dag-pb with SHA2-256, ' +
    'up to 64 MiB; every block is verified against its CID before any byte of it is sent. Supports one byte range. The ' +
    'content type is detected from the first bytes and never sniffed; content is sandboxed.',
  auth: 'none',
  documentsHead: true,
  cacheControl: 'public, max-age=31536000, immutable',
  params: z.strictObject({ cid: z.string().min(12).max(1024) }),
  answer: { status: 200, description: 'The content', contentType: OCTETS },
  otherAnswers: others,
  errors: [
    'cid_unsupported',
    'not_found',
    'not_a_file',
    'content_too_large',
    'range_not_satisfiable',
    'dependency_unavailable',
  ],
})

export const pinContent = defineOperation({
  id: 'pinContent',
  method: 'post',
  path: '/api/ipfs/pin',
  summary: 'Pin content permanently',
  description:
    'With the provider named in the capabilities: `object-store` fetches, verifies and stores every block; ' +
    '`external-http` uses a pinning service. At most 1,000 pins per identity. Idempotent: returns the existing pin.',
  auth: 'assertion',
  audiences: ['chain'],
  capability: 'assets:write',
  body: pinRequestSchema,
  answer: { status: 200, description: 'The pin', schema: pinnedSchema },
  errors: ['pinning_disabled', 'cid_unsupported', 'not_found', 'not_a_file', 'content_too_large', 'pin_limit'],
})

export const ipfsRoutes = [
  coreRoute(readContent, async ({ params, headers, deps, now }) => {
    const id = readContentId(params.cid)
    if (!id) throw new ApiError('cid_unsupported')
    const etag = `"${id.name}"`
    if (namesTag(headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers: { etag } })
    const file = await UnixfsFile.open(id, (block) => deps.blocks.get(block, now))
    if (!file.ok) throw fileError(file.error)
    const { bytes } = file.value
    const range = readRange(rangeOf(headers, etag), bytes)
    if (!range.ok) throw new ApiError('range_not_satisfiable', { headers: { 'content-range': `bytes */${bytes}` } })
    const { start, end } = range.value ?? { start: 0, end: bytes }
    const head = await headOf(file.value)
    const stream = streamOf(file.value.read(start, end)).pipeThrough(new FixedLengthStream(end - start))
    return new Response(stream, {
      status: range.value ? 206 : 200,
      headers: {
        etag,
        'accept-ranges': 'bytes',
        // HEAD has no stream that could report it.
        'content-length': String(end - start),
        'content-type': mediaTypeOf(head),
        'content-security-policy': SANDBOX,
        'x-content-type-options': 'nosniff',
        ...(range.value ? { 'content-range': `bytes ${start}-${end - 1}/${bytes}` } : {}),
      },
    })
  }),
  coreRoute(pinContent, async ({ caller, body, deps, now }) => {
    const pinned = await deps.pinning.pin(caller.did, { cid: body.cid, name: body.name ?? null }, now)
    if (!pinned.ok) throw fileError(pinned.error)
    const { cid, name, provider, status, bytes, pinnedAt } = pinned.value
    return { cid, ...(name === null ? {} : { name }), provider, status, bytes, pinnedAt }
  }),
]

function fileError({ reason }: FileRefusal | PinRefusal): ApiError {
  return new ApiError(reason === 'too_large' ? 'content_too_large' : reason)
}

/** Chunks are produced on demand; if the reader disconnects, reading stops. A missing block cuts the stream off. */
function streamOf(chunks: Walk<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await chunks.next()
      if (!next.done) controller.enqueue(next.value)
      else if (next.value) controller.error(new Error(next.value.reason))
      else controller.close()
    },
    async cancel() {
      await chunks.return(null)
    },
  })
}

async function headOf(file: UnixfsFile): Promise<Uint8Array> {
  const head = await file.read(0, Math.min(HEAD_BYTES, file.bytes)).next()
  if (!head.done) return head.value
  if (head.value) throw fileError(head.value)
  return new Uint8Array()
}

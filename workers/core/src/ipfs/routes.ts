import { forms } from '@svc/protocol/http/path-forms'
import {
  ApiError,
  addressKey,
  type DeclaredAnswer,
  defineOperation,
  IMMUTABLE,
  namesTag,
  rangeOf,
  readRange,
  takenDown,
} from '@svc/service'
import * as z from 'zod'
import { coreRoute } from '../service.ts'
import { budgetError } from '../storage/error.ts'
import type { FileBlocks } from './block-source.ts'
import { readContentId } from './content-id.ts'
import { FETCHES } from './fetch-limit.ts'
import { MEDIA_TYPES, mediaTypeOf, SANDBOX } from './media-type.ts'
import type { PinRefusal } from './service.ts'
import type { FileRefusal, UnixfsFile, Walk } from './unixfs-file.ts'

const HEAD_BYTES = 1_024
const CONTENT = 'The content'
const [OCTETS = '', ...KNOWN_TYPES] = MEDIA_TYPES
const others: DeclaredAnswer[] = [
  ...KNOWN_TYPES.map((contentType) => ({ status: 200, description: CONTENT, contentType })),
  ...MEDIA_TYPES.map((contentType) => ({ status: 206, description: 'The requested range', contentType })),
  { status: 304, description: 'The caller’s copy matches the CID', contentType: OCTETS },
]

/** A CID in another form than the interface’s is 400, like a CID that is not supported. */
export const cidParams = z.strictObject({ cid: z.string().min(12).max(1024).register(forms, { isPublished: true }) })

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
  cacheControl: IMMUTABLE,
  params: cidParams,
  answer: { status: 200, description: CONTENT, contentType: OCTETS },
  otherAnswers: others,
  handlerWindows: [FETCHES],
  errors: [
    'cid_unsupported',
    'not_found',
    'taken_down',
    'not_a_file',
    'content_too_large',
    'range_not_satisfiable',
    'dependency_unavailable',
  ],
})

export const contentRoutes = [
  coreRoute(readContent, async ({ params, headers, deps, now }) => {
    const id = readContentId(params.cid)
    if (!id) throw new ApiError('cid_unsupported')
    const etag = `"${id.name}"`
    if (namesTag(headers.get('if-none-match'), etag)) {
      const why = await deps.content.reasonFor(id)
      if (why !== null) throw takenDown(why)
      return new Response(null, { status: 304, headers: { etag } })
    }
    const address = addressKey(headers.get('cf-connecting-ip') ?? 'unknown')
    const opened = await deps.content.open(id, deps.allowance.for(address), now)
    if (!opened.ok) throw fileError(opened.error)
    const { file, blocks } = opened.value
    const { bytes } = file
    const range = readRange(rangeOf(headers, etag), bytes)
    if (!range.ok) throw new ApiError('range_not_satisfiable', { headers: { 'content-range': `bytes */${bytes}` } })
    const { start, end } = range.value ?? { start: 0, end: bytes }
    const head = await headOf(file, blocks)
    const stream = streamOf(file.read(start, end), blocks).pipeThrough(new FixedLengthStream(end - start))
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
]

/** The error for content that cannot be read, or be pinned. */
export function fileError(refusal: FileRefusal | PinRefusal): ApiError {
  const { reason } = refusal
  if (reason === 'budget_exhausted') return budgetError(refusal)
  if (reason === 'taken_down') return takenDown(refusal.why)
  return new ApiError(reason === 'too_large' ? 'content_too_large' : reason)
}

/**
 * Chunks are produced on demand; if the reader disconnects, reading stops. A missing block, or one too many, cuts the
 * stream off, and nothing of the file stays cached.
 */
function streamOf(chunks: Walk<Uint8Array>, blocks: FileBlocks): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await chunks.next()
      if (!next.done) controller.enqueue(next.value)
      else if (next.value) {
        await blocks.abandon()
        controller.error(new Error(next.value.reason))
      } else controller.close()
    },
    async cancel() {
      await chunks.return(null)
    },
  })
}

async function headOf(file: UnixfsFile, blocks: FileBlocks): Promise<Uint8Array> {
  const head = await file.read(0, Math.min(HEAD_BYTES, file.bytes)).next()
  if (!head.done) return head.value
  if (head.value) {
    await blocks.abandon()
    throw fileError(head.value)
  }
  return new Uint8Array()
}

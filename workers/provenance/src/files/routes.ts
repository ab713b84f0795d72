import { MODEL_FILE, modelManifestSchema, RUNTIME_FILE, RUNTIME_VERSION } from '@svc/protocol/provenance/model-files'
import {
  ApiError,
  type DeclaredAnswer,
  defineOperation,
  IMMUTABLE,
  namesTag,
  type Operation,
  rangeOf,
  readRange,
} from '@svc/service'
import * as z from 'zod'
import { provenanceRoute } from '../service.ts'
import type { FileStore, StoredFile } from './store.ts'

const OCTETS = 'application/octet-stream'
const WASM = 'application/wasm'
const MODULE = 'text/javascript'
const others: DeclaredAnswer[] = [
  { status: 206, description: 'The requested range', contentType: OCTETS },
  { status: 304, description: 'The caller’s copy is current', contentType: OCTETS },
]

/** Shared by the three kinds of files. The bytes behind a name never change. */
export const file = {
  method: 'get',
  auth: 'none',
  documentsHead: true,
  cacheControl: IMMUTABLE,
  answer: { status: 200, description: 'The file', contentType: OCTETS },
  otherAnswers: others,
  errors: ['not_found', 'range_not_satisfiable', 'dependency_unavailable'],
} as const satisfies Partial<Operation>

export const readModelManifest = defineOperation({
  id: 'readModelManifest',
  method: 'get',
  path: '/models/manifest.json',
  summary: 'Read the model artefacts of this deployment, pinned by SHA3-384',
  description: 'Verify what you load. A new model has a new name.',
  auth: 'none',
  documentsHead: true,
  cacheControl: 'public, max-age=300',
  answer: { status: 200, description: 'The manifest', schema: modelManifestSchema, bare: true },
  errors: ['dependency_unavailable'],
})

export const readModel = defineOperation({
  ...file,
  id: 'readModel',
  path: '/models/{file}',
  summary: 'Read a model artefact',
  description: 'One from the manifest. Supports one byte range.',
  params: z.strictObject({ file: z.string() }),
})

export const readRuntime = defineOperation({
  ...file,
  id: 'readRuntime',
  path: '/ort/{version}/{file}',
  summary: 'Read the model runtime: ort-wasm*.wasm and ort-wasm*.mjs of one version of onnxruntime-web',
  description: 'The files that the manifest names, byte for byte as their package has them. Supports one byte range.',
  answer: { status: 200, description: 'The file', contentType: WASM },
  otherAnswers: [
    { status: 200, description: 'A module', contentType: MODULE },
    ...others,
    ...[WASM, MODULE].map((contentType) => ({ status: 206, description: 'The same of its media type', contentType })),
  ],
  params: z.strictObject({ version: z.string(), file: z.string() }),
})

export const fileRoutes = [
  provenanceRoute(readModelManifest, ({ deps }) => deps.files.manifest()),
  provenanceRoute(readModel, async ({ params, deps, ...request }) => {
    const isName = MODEL_FILE.test(params.file)
    return served(deps.files, isName ? await deps.files.findModel(params.file) : null, request)
  }),
  provenanceRoute(readRuntime, async ({ params: { version, file: name }, deps, ...request }) => {
    const isName = RUNTIME_VERSION.test(version) && RUNTIME_FILE.test(name)
    return served(deps.files, isName ? await deps.files.findRuntime(version, name) : null, request)
  }),
]

/** The whole file, a range of it, or 304. */
export async function served(
  files: FileStore,
  found: StoredFile | null,
  { headers, isHead }: { readonly headers: Headers; readonly isHead: boolean },
): Promise<Response> {
  if (!found) throw new ApiError('not_found')
  const etag = `"${found.hash}"`
  if (namesTag(headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers: { etag } })
  const range = readRange(rangeOf(headers, etag), found.bytes)
  if (!range.ok) throw new ApiError('range_not_satisfiable', { headers: { 'content-range': `bytes */${found.bytes}` } })
  const { start, end } = range.value ?? { start: 0, end: found.bytes }
  return new Response(isHead ? null : await files.read(found, { start, end }), {
    status: range.value ? 206 : 200,
    headers: {
      etag,
      'accept-ranges': 'bytes',
      'content-length': String(end - start),
      'content-type': typeOf(found.key),
      ...(range.value ? { 'content-range': `bytes ${start}-${end - 1}/${found.bytes}` } : {}),
    },
  })
}

/** Browsers compile WebAssembly and import modules only if the media type is right. */
function typeOf(key: string): string {
  if (key.endsWith('.wasm')) return WASM
  return key.endsWith('.mjs') ? MODULE : OCTETS
}

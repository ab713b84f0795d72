import { didDocumentSchema, RESOLUTION_ERRORS, resolutionResultSchema } from '@svc/protocol/did/did'
import { forms } from '@svc/protocol/http/path-forms'
import { type DeclaredAnswer, defineOperation, ERROR_HEADER } from '@svc/service'
import * as z from 'zod'
import { didRoute } from '../service.ts'
import { type Answer, DOCUMENT_TYPES, RESULT_TYPE, refusal } from './rules.ts'

const documents: DeclaredAnswer[] = DOCUMENT_TYPES.map((contentType) => ({
  status: 200,
  description: `The document alone as ${contentType}`,
  contentType,
  schema: didDocumentSchema,
}))
const refusals: DeclaredAnswer[] = Object.entries(RESOLUTION_ERRORS).map(([name, { status, detail }]) => ({
  status,
  description: `\`${name}\`: ${detail}`,
  contentType: RESULT_TYPE,
  schema: resolutionResultSchema,
}))

export const resolveDid = defineOperation({
  id: 'resolveDid',
  method: 'get',
  path: '/1.0/identifiers/{did}',
  summary: 'Resolve a DID',
  description:
    'Returns the media type that Accept asks for: the whole resolution result, or only the document. Everything except ' +
    'a resolved document is a resolution result with `didDocument` null and an error whose `type` is a W3C URI. ' +
    'A version is a root epoch. Results for a resolved, unknown or deactivated DID carry a proof by the resolver’s key.',
  auth: 'none',
  // A malformed one has a resolution result of its own.
  params: z.strictObject({
    did: z.string().meta({ description: 'A DID, percent-encoded or not' }).register(forms, { isPublished: true }),
  }),
  query: z.object({
    versionId: z.string().optional().meta({ description: 'The document of a root epoch, decimal' }),
    versionTime: z.string().optional().meta({ description: 'The document of a time, RFC 3339' }),
  }),
  answer: { status: 200, description: 'Resolved', contentType: RESULT_TYPE },
  otherAnswers: [
    { status: 200, description: 'Resolved', contentType: RESULT_TYPE, schema: resolutionResultSchema },
    ...documents,
    ...refusals,
    {
      status: 410,
      description: 'Deactivated: `didDocumentMetadata.deactivated` is true',
      contentType: RESULT_TYPE,
      schema: resolutionResultSchema,
    },
  ],
})

const toResponse = ({ status, contentType, body, error }: Answer): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': contentType, vary: 'Accept', ...(error && { [ERROR_HEADER]: error }) },
  })

export const resolutionRoutes = [
  didRoute(resolveDid, async ({ params, query, headers, deps, now, logReason }) => {
    const options = { accept: headers.get('accept') ?? undefined, ...query }
    const answer = await deps.resolution.resolve(params.did, options, now)
    if (answer.reason !== undefined) logReason(answer.reason)
    return toResponse(answer)
  }),
]

const BINDINGS = /^\/1\.0\/identifiers\/[^/]+\/bindings$/

/** Any other path below `identifiers` is a malformed identifier, not an unregistered one. */
export function malformedIdentifier(method: string, path: string, now: number): Response | null {
  if (method !== 'GET' && method !== 'HEAD') return null
  if (!path.startsWith('/1.0/identifiers/') || BINDINGS.test(path)) return null
  return toResponse(refusal('INVALID_DID', now))
}

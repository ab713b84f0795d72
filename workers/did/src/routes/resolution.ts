import { didDocumentSchema, RESOLUTION_ERRORS, resolutionResultSchema } from '@svc/protocol/did'
import { type DeclaredAnswer, defineOperation } from '@svc/service'
import * as z from 'zod'
import { DOCUMENT_TYPES, RESULT_TYPE } from '../resolution/resolution.ts'
import { didRoute } from '../route.ts'

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
  summary: 'Resolve a DID from current key authority',
  description:
    'Answers in the media type that Accept asks for: the whole resolution result, or the document alone. Everything ' +
    'but a resolved document is a resolution result with `didDocument` null and an error whose `type` is a W3C URI.',
  auth: 'none',
  params: z.strictObject({ did: z.string().meta({ description: 'A DID, percent-encoded or not' }) }),
  answer: { status: 200, description: 'Resolved', contentType: RESULT_TYPE },
  otherAnswers: [
    { status: 200, description: 'Resolved', contentType: RESULT_TYPE, schema: resolutionResultSchema },
    ...documents,
    ...refusals,
  ],
})

export const resolutionRoutes = [
  didRoute(resolveDid, async ({ params, headers, deps, now }) => {
    const { status, contentType, body } = await deps.resolution.resolve(
      params.did,
      headers.get('accept') ?? undefined,
      now,
    )
    return new Response(JSON.stringify(body), { status, headers: { 'content-type': contentType, vary: 'Accept' } })
  }),
]

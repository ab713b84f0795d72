import { hashTextHex } from '@svc/protocol/hash'
import { didSchema } from '@svc/protocol/identity'
import { jcs } from '@svc/protocol/jcs'
import { officersAnswerSchema, officersAtQuerySchema, orgVerifySchema } from '@svc/protocol/organizations'
import { ApiError, defineOperation } from '@svc/service'
import * as z from 'zod'
import { didRoute } from '../route.ts'

/** Document 2 section 4.3: fresh for 45 s at the edge, and stale for 600 s more while it is asked anew. */
const OFFICERS_CACHE = 'public, s-maxage=45, stale-while-revalidate=600'

export const readOfficers = defineOperation({
  id: 'readOfficers',
  method: 'get',
  path: '/1.0/org/{orgDid}/officers',
  summary: 'The officers of an organization',
  description:
    'From core’s verified inception log, with the event that made them officers and everybody’s signatures under it. ' +
    'With `at`, who was an officer then; with `version`, the roster of that version. A shared cache may hold an answer ' +
    'for 45 seconds, and give it for 600 more while it asks anew; there is no `max-age`, so a private cache asks each ' +
    'time, with the ETag.',
  auth: 'none',
  params: z.strictObject({ orgDid: didSchema }),
  query: officersAtQuerySchema,
  answer: { status: 200, description: 'The officers', contentType: 'application/json' },
  otherAnswers: [
    { status: 200, description: 'The officers', contentType: 'application/json', schema: officersAnswerSchema },
    { status: 304, description: 'The caller has them as they are', contentType: '' },
  ],
  errors: ['not_found', 'dependency_unavailable'],
  cacheControl: OFFICERS_CACHE,
})

export const verifyMember = defineOperation({
  id: 'verifyMember',
  method: 'get',
  path: '/1.0/org/{orgDid}/verify/{memberDid}',
  summary: 'Whether a member is bound to an organization now',
  description:
    '`bound` is false for whatever is not an accepted, unexpired binding that is neither suspended nor revoked, and ' +
    'tells nothing of why; also where the organization or the member has ended its identity.',
  auth: 'none',
  params: z.strictObject({ orgDid: didSchema, memberDid: didSchema }),
  answer: { status: 200, description: 'Bound or not', schema: orgVerifySchema },
  errors: ['dependency_unavailable'],
})

export const organizationRoutes = [
  didRoute(readOfficers, async ({ params, query, headers, deps, now }) => {
    if (query.at !== undefined && query.at > now) {
      throw new ApiError('invalid_request', { message: 'query.at: must not be in the future' })
    }
    const found = await deps.officers.find(params.orgDid, query)
    if (!found.ok) {
      throw found.error.reason === 'not_found'
        ? new ApiError('not_found')
        : new ApiError('dependency_unavailable', { reason: 'core' })
    }
    const body = jcs(found.value)
    const etag = `"${hashTextHex(body).slice(0, 32)}"`
    const shared = { etag, 'cache-control': OFFICERS_CACHE }
    if (names(headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers: shared })
    return new Response(body, { headers: { ...shared, 'content-type': 'application/json' } })
  }),
  didRoute(verifyMember, async ({ params, deps, now }) => {
    const verified = await deps.organizations.verify(params.orgDid, params.memberDid, now)
    if (verified.ok) return verified.value
    throw new ApiError('dependency_unavailable', { reason: 'core' })
  }),
]

/** RFC 9110 section 13.1.2: weak comparison, and `*` is whatever there is. */
function names(header: string | null, etag: string): boolean {
  return (header ?? '').split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
}

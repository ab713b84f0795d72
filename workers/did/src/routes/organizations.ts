import { didSchema } from '@svc/protocol/identity'
import { jcs } from '@svc/protocol/jcs'
import { officersAnswerSchema, officersAtQuerySchema, orgVerifySchema } from '@svc/protocol/organizations'
import { ApiError, defineOperation, namesTag } from '@svc/service'
import * as z from 'zod'
import { OFFICERS_CACHE } from '../organizations/officer-cache.ts'
import type { OfficersRefusal } from '../organizations/officer-service.ts'
import { didRoute } from '../route.ts'

export const readOfficers = defineOperation({
  id: 'readOfficers',
  method: 'get',
  path: '/1.0/org/{orgDid}/officers',
  summary: 'The officers of an organization',
  description:
    'From core’s verified inception log, with the event that made them officers and everybody’s signatures under it. ' +
    'With `at`, who was an officer then, from core each time and `no-store`; with `version`, the roster of that version. ' +
    'Answers without `at` are kept at the edge for 45 seconds, and given for 600 more while core is asked anew; `Age` ' +
    'says how many seconds ago it was asked.',
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
  didRoute(readOfficers, async ({ params, query, headers, deps, now, background }) => {
    if (query.at !== undefined && query.at > now) {
      throw new ApiError('invalid_request', { message: 'query.at: must not be in the future' })
    }
    if (query.at !== undefined) {
      const then = await deps.officers.find(params.orgDid, query)
      if (!then.ok) throw officersError(then.error)
      return new Response(jcs(then.value), {
        headers: { 'cache-control': 'no-store', 'content-type': 'application/json' },
      })
    }
    const found = await deps.officerCache.find(params.orgDid, query, now, background)
    if (!found.ok) throw officersError(found.error)
    const { body, etag, readAt } = found.value
    // A cache behind this one counts the age along, so that all of them together keep to one bound.
    const age = String(Math.floor((now - readAt) / 1000))
    const shared = { etag, age, 'cache-control': OFFICERS_CACHE }
    if (namesTag(headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers: shared })
    return new Response(body, { headers: { ...shared, 'content-type': 'application/json' } })
  }),
  didRoute(verifyMember, async ({ params, deps, now }) => {
    const verified = await deps.organizations.verify(params.orgDid, params.memberDid, now)
    if (verified.ok) return verified.value
    throw new ApiError('dependency_unavailable', { reason: 'core' })
  }),
]

function officersError({ reason }: OfficersRefusal): ApiError {
  switch (reason) {
    case 'not_found':
      return new ApiError('not_found')
    case 'unavailable':
      return new ApiError('dependency_unavailable', { reason: 'core' })
  }
}

import { didSchema } from '@svc/protocol/base/identity'
import { jcs } from '@svc/protocol/base/jcs'
import { officersAnswerSchema, officersAtQuerySchema, orgVerifySchema } from '@svc/protocol/did/organizations'
import { ApiError, defineOperation, namesTag } from '@svc/service'
import * as z from 'zod'
import { didRoute } from '../service.ts'
import { OFFICERS_CACHE } from './officer-cache.ts'
import type { OfficersRefusal } from './officer-service.ts'

export const readOfficers = defineOperation({
  id: 'readOfficers',
  method: 'get',
  path: '/1.0/org/{orgDid}/officers',
  summary: 'List the officers of an organization',
  description:
    'From core’s verified inception log, with the event that set the roster and all its signatures. With `at`, the ' +
    'officers at that time, from core each time and `no-store`; with `version`, the roster of that version. ' +
    'Answers without `at` are cached at the edge for 45 seconds, and served for 600 more while core is asked again; ' +
    '`Age` is the number of seconds since core was asked.',
  auth: 'none',
  params: z.strictObject({ orgDid: didSchema }),
  query: officersAtQuerySchema,
  answer: { status: 200, description: 'The officers', contentType: 'application/json' },
  otherAnswers: [
    { status: 200, description: 'The officers', contentType: 'application/json', schema: officersAnswerSchema },
    { status: 304, description: 'The caller’s copy is current', contentType: '' },
  ],
  errors: ['not_found', 'dependency_unavailable'],
  cacheControl: OFFICERS_CACHE,
})

export const verifyMember = defineOperation({
  id: 'verifyMember',
  method: 'get',
  path: '/1.0/org/{orgDid}/verify/{memberDid}',
  summary: 'Check whether a member is bound to an organization now',
  description:
    '`bound` is true only for an accepted binding that is not expired, suspended or revoked, of identities that are not ' +
    'deactivated. False has no reason.',
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
    // Caches behind this one add to the age, so that all of them together stay within one bound.
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

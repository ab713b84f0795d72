import { didSchema, isDid } from '@svc/protocol/base/identity'
import { orgEventSchema } from '@svc/protocol/did/org-bindings'
import {
  DEFAULT_PAGE_MEMBERS,
  membershipsPageSchema,
  membersPageSchema,
  membersQuerySchema,
  orgAppendedSchema,
  orgEventsPageSchema,
  orgEventsQuerySchema,
  ownBindingsPageSchema,
} from '@svc/protocol/did/organizations'
import { ApiError, defineOperation } from '@svc/service'
import * as z from 'zod'
import { type AuthorizeWith, didRoute } from '../service.ts'
import type { AppendRefusal, AuthorityRefusal } from './service.ts'

const orgParams = z.strictObject({ orgDid: didSchema })
const READ_ERRORS = ['forbidden', 'licence_required', 'dependency_unavailable'] as const
const READERS =
  'For the organization itself and its current officers at core: 403 `forbidden` for anyone else. ' +
  'Without an active licence 402, checked after authorization and before query and body. '
const APPEND_ERRORS = [
  'licence_required',
  'invalid_signature',
  'statement_expired',
  'stale_org_head',
  'security_hold',
  'budget_exhausted',
  'stale_epoch',
  'not_eligible',
  'not_an_org',
  'member_not_bound',
  'dependency_unavailable',
] as const
const WRITERS =
  'For the organization only, by its root key or a device with `org:write`; the root key signs the event. ' +
  'Checks in order: Origin, assertion, 403 `owner_mismatch`, 402 without an active licence, the body. An event that ' +
  'does not follow the head is 409 with the head in `details.head`. Idempotent per event. '

export const listOwnBindings = defineOperation({
  id: 'listOwnBindings',
  method: 'get',
  path: '/1.0/identifiers/{did}/bindings',
  summary: 'List the caller’s own bindings to organizations',
  description: 'For the member only. Includes revoked ones, with their status.',
  auth: 'assertion',
  audiences: ['identity', 'console'],
  capability: 'account:read',
  owner: 'did',
  params: z.strictObject({ did: didSchema }),
  query: membersQuerySchema,
  answer: { status: 200, description: 'One page', schema: ownBindingsPageSchema },
})

export const listMembers = defineOperation({
  id: 'listMembers',
  method: 'get',
  path: '/1.0/org/{orgDid}/members',
  summary: 'List which subjects of identity providers stand for which members',
  description: `${READERS}Ascending by the DID of the member, so that pages hold while others write.`,
  auth: 'assertion',
  audiences: ['identity', 'console'],
  capability: 'org:read',
  params: orgParams,
  query: membersQuerySchema,
  answer: { status: 200, description: 'One page', schema: membersPageSchema },
  errors: READ_ERRORS,
})

export const listMemberships = defineOperation({
  id: 'listMemberships',
  method: 'get',
  path: '/1.0/org/{orgDid}/memberships',
  summary: 'List each member’s role, status, permissions, expiry, suspension and newest event',
  description: `${READERS}The roster is what the signed events of \`/events\` fold into.`,
  auth: 'assertion',
  audiences: ['identity', 'console'],
  capability: 'org:read',
  params: orgParams,
  query: membersQuerySchema,
  answer: { status: 200, description: 'One page', schema: membershipsPageSchema },
  errors: READ_ERRORS,
})

export const listOrgEvents = defineOperation({
  id: 'listOrgEvents',
  method: 'get',
  path: '/1.0/org/{orgDid}/events',
  summary: 'Read the binding log: every signed event, ascending',
  description: `${READERS}At most 50 events in a page. Fold them yourself to verify a roster.`,
  auth: 'assertion',
  audiences: ['identity', 'console'],
  capability: 'org:read',
  params: orgParams,
  query: orgEventsQuerySchema,
  answer: { status: 200, description: 'One page', schema: orgEventsPageSchema },
  errors: READ_ERRORS,
})

export const bindMember = defineOperation({
  id: 'bindMember',
  method: 'post',
  path: '/1.0/org/{orgDid}/bind',
  summary: 'Bind a member to a subject of an identity provider, or change the binding',
  description: `${WRITERS}Takes the events bind, update, suspend and resume. A binding is pending until the member has accepted it.`,
  auth: 'assertion',
  audiences: ['identity', 'console'],
  // The root key signed the event; the device only delivers it.
  capability: 'org:write',
  owner: 'orgDid',
  params: orgParams,
  body: orgEventSchema,
  answer: { status: 200, description: 'Appended', schema: orgAppendedSchema },
  errors: [...APPEND_ERRORS, 'member_bound', 'subject_bound', 'acceptance_unverifiable'],
})

export const revokeMember = defineOperation({
  id: 'revokeMember',
  method: 'post',
  path: '/1.0/org/{orgDid}/revoke',
  summary: 'Revoke the binding of a member',
  description: `${WRITERS}Takes the event revoke. The member can be bound again, and has to accept anew.`,
  auth: 'assertion',
  audiences: ['identity', 'console'],
  capability: 'org:write',
  owner: 'orgDid',
  params: orgParams,
  body: orgEventSchema,
  answer: { status: 200, description: 'Appended', schema: orgAppendedSchema },
  errors: APPEND_ERRORS,
})

const PAGE = { after: '', limit: DEFAULT_PAGE_MEMBERS }
const pageOf = ({ cursor = PAGE.after, limit = PAGE.limit }: z.output<typeof membersQuerySchema>) => ({
  after: cursor,
  limit,
})

/** Reads for the organization and its officers. A path without a valid DID is left to its schema. */
const reading: AuthorizeWith<{ readonly auth: 'assertion' }> = async ({ path, caller, deps }) => {
  const orgDid = path['orgDid'] ?? ''
  if (!isDid(orgDid)) return
  const may = await deps.organizations.mayRead(caller, orgDid)
  if (!may.ok) throw authorityError(may.error)
}

/** That the caller is the organization is already checked; this checks the licence. */
const writing: AuthorizeWith<{ readonly auth: 'assertion' }> = async ({ caller, deps }) => {
  const may = await deps.organizations.mayWrite(caller.did)
  if (!may.ok) throw authorityError(may.error)
}

export const memberRoutes = [
  didRoute(listOwnBindings, ({ caller, query, deps, now }) => deps.rosters.bindingsOf(caller.did, pageOf(query), now)),
  didRoute(
    listMembers,
    ({ params, query, deps, now }) => deps.rosters.members(params.orgDid, pageOf(query), now),
    reading,
  ),
  didRoute(
    listMemberships,
    ({ params, query, deps, now }) => deps.rosters.memberships(params.orgDid, pageOf(query), now),
    reading,
  ),
  didRoute(listOrgEvents, ({ params, query, deps }) => deps.rosters.events(params.orgDid, query.from ?? 1), reading),
  didRoute(
    bindMember,
    async ({ caller, body, deps, now }) => {
      if (body.statement.event === 'revoke') throw wrongEvent('bind, update, suspend or resume')
      const appended = await deps.organizations.append(caller, body, now)
      if (appended.ok) return appended.value
      throw appendError(appended.error, now)
    },
    writing,
  ),
  didRoute(
    revokeMember,
    async ({ caller, body, deps, now }) => {
      if (body.statement.event !== 'revoke') throw wrongEvent('revoke')
      const appended = await deps.organizations.append(caller, body, now)
      if (appended.ok) return appended.value
      throw appendError(appended.error, now)
    },
    writing,
  ),
]

const wrongEvent = (expected: string) =>
  new ApiError('invalid_request', { message: `body.statement.event: must be ${expected} on this route` })

function authorityError({ reason }: AuthorityRefusal): ApiError {
  return reason === 'unavailable' ? new ApiError('dependency_unavailable', { reason: 'core' }) : new ApiError(reason)
}

const NAMED_EVENT = {
  older_head: 'body.statement.inception: names an older event of the inception log than the newest binding event does',
  unknown_head: 'body.statement.inception: names an event that the inception log of the organization does not have',
} as const

function appendError(refusal: AppendRefusal, now: number): ApiError {
  switch (refusal.reason) {
    case 'owner_mismatch':
    case 'not_eligible':
    case 'member_bound':
    case 'member_not_bound':
    case 'subject_bound':
    case 'not_an_org':
    case 'invalid_signature':
    case 'acceptance_unverifiable':
    case 'licence_required':
    case 'security_hold':
      return new ApiError(refusal.reason)
    case 'budget_exhausted': {
      const { budget, used, limit, tier } = refusal
      return new ApiError(refusal.reason, { details: { budget, used, limit, tier } })
    }
    case 'acceptance_mismatch':
      return new ApiError('acceptance_unverifiable', { reason: 'mismatch' })
    case 'older_head':
    case 'unknown_head':
      return refusal.of === 'acceptance'
        ? new ApiError('acceptance_unverifiable', { reason: refusal.reason })
        : new ApiError('invalid_request', { message: NAMED_EVENT[refusal.reason] })
    case 'statement_expired':
      return new ApiError('statement_expired', { serverTime: now })
    case 'unavailable':
      return new ApiError('dependency_unavailable', { reason: 'core' })
    case 'stale_epoch':
      return new ApiError('stale_epoch', { details: { epoch: refusal.epoch } })
    case 'stale_org_head':
      return new ApiError('stale_org_head', { details: { head: refusal.head } })
  }
}

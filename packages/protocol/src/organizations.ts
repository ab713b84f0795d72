/** The shapes of the DID service's organization routes that are not events themselves (document 2 section 4.3). */
import * as z from 'zod'
import { hashSchema } from './hash.ts'
import { didSchema } from './identity.ts'
import { inceptOrgSchema, rotateOfficersSchema } from './inception.ts'
import { officersSchema, quorumSchema } from './officers.ts'
import {
  BINDING_EVENTS,
  MEMBER_STATUSES,
  ORG_PERMISSIONS,
  ORG_ROLES,
  orgEventSchema,
  orgHeadSchema,
  providerSchema,
  subjectHashSchema,
} from './org-bindings.ts'

/** Document 2 section 8: a page has 1 to 200 members. */
export const MAX_PAGE_MEMBERS = 200
export const DEFAULT_PAGE_MEMBERS = 50
/** An event takes up to 13 kB with its acceptance. */
export const MAX_PAGE_ORG_EVENTS = 50

const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^(?:0|[1-9][0-9]{0,8})$/, 'must be an integer')
    .transform(Number)
    .pipe(z.int().min(min).max(max))
export const membersQuerySchema = z.strictObject({
  limit: integer(1, MAX_PAGE_MEMBERS).optional().meta({ description: '1 to 200; 50 unless given' }),
  cursor: didSchema.optional().meta({ description: '`cursor` of the page before' }),
})
export const orgEventsQuerySchema = z.strictObject({
  from: integer(1, 999_999_999).optional().meta({ description: 'First sequence; 1 unless given' }),
})

/** RFC 3339 or epoch milliseconds. */
const instantSchema = z
  .string()
  .regex(
    /^(?:[0-9]{1,15}|[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9](?:\.[0-9]{1,9})?(?:Z|[+-][0-2][0-9]:[0-5][0-9]))$/,
    'must be an RFC 3339 time or epoch milliseconds',
  )
  .transform((text) => (/^[0-9]+$/.test(text) ? Number(text) : Date.parse(text)))
  .refine((at) => Number.isSafeInteger(at) && at >= 0, 'must be a time')
export const officersAtQuerySchema = z
  .strictObject({
    at: instantSchema.optional().meta({ description: 'Who was an officer then: RFC 3339, or epoch ms' }),
    version: integer(1, 999_999_999).optional().meta({ description: 'The roster of this version' }),
  })
  .refine(({ at, version }) => at === undefined || version === undefined, 'takes one of at and version')

const timestamp = (description: string) => z.number().meta({ description: `${description}, epoch ms` })
export const officersAnswerSchema = z
  .strictObject({
    orgDid: didSchema,
    version: z.int().min(1),
    officers: officersSchema,
    quorum: quorumSchema,
    since: timestamp('When core accepted the event that made it so'),
    until: timestamp('When the next roster was accepted; null while this one is in force').nullable(),
    event: z
      .union([inceptOrgSchema, rotateOfficersSchema])
      .meta({ description: 'What made it so, with every signature' }),
  })
  .meta({ id: 'Officers', description: 'Officers of an organization, with the event that proves them' })
export type OfficersAnswer = z.infer<typeof officersAnswerSchema>

export const orgVerifySchema = z
  .strictObject({
    orgDid: didSchema,
    memberDid: didSchema,
    bound: z.boolean(),
    provider: providerSchema.optional().meta({ description: 'Only when bound' }),
    expiresAt: timestamp('Only when bound, and the binding ends by itself').optional(),
  })
  .meta({ id: 'OrgVerify', description: 'False tells nothing of why: unknown, pending, expired, suspended, revoked' })
export type OrgVerify = z.infer<typeof orgVerifySchema>

const latestSchema = z
  .strictObject({
    sequence: z.int().min(1),
    hash: hashSchema,
    event: z.enum(BINDING_EVENTS),
    acceptedAt: timestamp('When the service accepted it'),
  })
  .meta({ id: 'LatestOrgEvent', description: 'The newest event of the member, as it stands in the log' })
const terms = {
  role: z.enum(ORG_ROLES),
  status: z.enum(MEMBER_STATUSES),
  permissions: z.array(z.enum(ORG_PERMISSIONS)),
  expiresAt: timestamp('When the binding ends by itself').nullable(),
  suspendedFrom: timestamp('When the suspension begins or began').nullable(),
  suspendedUntil: timestamp('When it ends by itself').nullable(),
}

export const memberBindingSchema = z
  .strictObject({
    memberDid: didSchema,
    provider: providerSchema,
    subjectHash: subjectHashSchema,
    status: terms.status,
    expiresAt: terms.expiresAt,
    latest: latestSchema,
  })
  .meta({ id: 'MemberBinding', description: 'A subject of an identity provider that stands for a member' })
export type MemberBinding = z.infer<typeof memberBindingSchema>
export const membershipSchema = z
  .strictObject({ memberDid: didSchema, ...terms, latest: latestSchema })
  .meta({ id: 'OrgMembership', description: 'What a member is in the organization' })
export type OrgMembership = z.infer<typeof membershipSchema>
export const ownBindingSchema = z
  .strictObject({
    orgDid: didSchema,
    provider: providerSchema,
    subjectHash: subjectHashSchema,
    ...terms,
    latest: latestSchema,
  })
  .meta({ id: 'OwnOrgBinding', description: 'A binding as its member sees it' })

const cursor = didSchema.nullable().meta({ description: 'Ask for the next page with it; null at the end' })
export const membersPageSchema = z
  .strictObject({ orgDid: didSchema, members: z.array(memberBindingSchema), cursor, head: orgHeadSchema })
  .meta({ id: 'OrgMembersPage', description: 'Bindings that were not revoked, ascending by the DID of the member' })
export type MembersPage = z.infer<typeof membersPageSchema>
export const membershipsPageSchema = z
  .strictObject({
    orgDid: didSchema,
    memberships: z.array(membershipSchema),
    permissionVocabulary: z.array(z.enum(ORG_PERMISSIONS)),
    cursor,
    head: orgHeadSchema,
  })
  .meta({ id: 'OrgMembershipsPage', description: 'Everyone who was ever bound, ascending by the DID of the member' })
export type MembershipsPage = z.infer<typeof membershipsPageSchema>
export const ownBindingsPageSchema = z
  .strictObject({ did: didSchema, bindings: z.array(ownBindingSchema), cursor })
  .meta({ id: 'OwnOrgBindings', description: 'Ascending by the DID of the organization' })
export type OwnBindingsPage = z.infer<typeof ownBindingsPageSchema>

export const orgEventsPageSchema = z
  .strictObject({
    orgDid: didSchema,
    events: z.array(orgEventSchema).max(MAX_PAGE_ORG_EVENTS),
    next: z.int().nullable().meta({ description: '`from` of the next page, or null at the end' }),
    head: orgHeadSchema,
  })
  .meta({ id: 'OrgEventsPage', description: 'A page of the binding log, ascending' })
export type OrgEventsPage = z.infer<typeof orgEventsPageSchema>

export const orgAppendedSchema = z
  .strictObject({
    orgDid: didSchema,
    sequence: z.int(),
    hash: hashSchema,
    acceptedAt: timestamp('When the service accepted it'),
  })
  .meta({ id: 'OrgEventAppended', description: 'Where the event stands in the log' })
export type OrgAppended = z.infer<typeof orgAppendedSchema>

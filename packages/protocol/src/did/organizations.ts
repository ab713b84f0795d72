/** Requests and responses of the DID service's organization routes, apart from the events themselves. */
import * as z from 'zod'
import { hashSchema } from '../base/hash.ts'
import { didSchema } from '../base/identity.ts'
import { pure } from '../base/pure.ts'
import { inceptOrgSchema, rotateOfficersSchema } from '../devices/inception.ts'
import { officersSchema, quorumSchema } from '../devices/officers.ts'
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

/** A page has 1 to 200 members (workers/docs/pages/developer/limits.md). */
export const MAX_PAGE_MEMBERS = 200
export const DEFAULT_PAGE_MEMBERS = 50
/** An event is up to 13 kB with its acceptance. */
export const MAX_PAGE_ORG_EVENTS = 50

const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^(?:0|[1-9][0-9]{0,8})$/, 'must be an integer')
    .transform(Number)
    .pipe(z.int().min(min).max(max))
export const membersQuerySchema = /* @__PURE__ */ pure(() =>
  z.strictObject({
    limit: integer(1, MAX_PAGE_MEMBERS).optional().meta({ description: '1 to 200. Default: 50' }),
    cursor: didSchema.optional().meta({ description: '`cursor` of the previous page' }),
  }),
)
export const orgEventsQuerySchema = /* @__PURE__ */ pure(() =>
  z.strictObject({
    from: integer(1, 999_999_999).optional().meta({ description: 'First sequence. Default: 1' }),
  }),
)

/** RFC 3339 or epoch milliseconds. */
const instantSchema = /* @__PURE__ */ pure(() =>
  z
    .string()
    .regex(
      /^(?:[0-9]{1,15}|[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9](?:\.[0-9]{1,9})?(?:Z|[+-][0-2][0-9]:[0-5][0-9]))$/,
      'must be an RFC 3339 time or epoch milliseconds',
    )
    .transform((text) => (/^[0-9]+$/.test(text) ? Number(text) : Date.parse(text)))
    .refine((at) => Number.isSafeInteger(at) && at >= 0, 'must be a valid time'),
)
export const officersAtQuerySchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      at: instantSchema.optional().meta({ description: 'Return the officers at this time: RFC 3339 or epoch ms' }),
      version: integer(1, 999_999_999).optional().meta({ description: 'Return the roster of this version' }),
    })
    .refine(({ at, version }) => at === undefined || version === undefined, 'must have at most one of at and version'),
)

const timestamp = (description: string) => z.number().meta({ description: `${description}, epoch ms` })
export const officersAnswerSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      orgDid: didSchema,
      version: z.int().min(1),
      officers: officersSchema,
      quorum: quorumSchema,
      since: timestamp('When core accepted the event that established it'),
      until: timestamp('When the next roster was accepted; null while this one is in force').nullable(),
      event: z
        .union([inceptOrgSchema, rotateOfficersSchema])
        .meta({ description: 'The event that established it, with all signatures' }),
    })
    .meta({ id: 'Officers', description: 'Officers of an organization, with the event that proves them' }),
)
export type OfficersAnswer = z.infer<typeof officersAnswerSchema>

export const orgVerifySchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      orgDid: didSchema,
      memberDid: didSchema,
      bound: z.boolean(),
      provider: providerSchema.optional().meta({ description: 'Only if bound' }),
      expiresAt: timestamp('Only if bound and the binding expires').optional(),
    })
    .meta({
      id: 'OrgVerify',
      description: '`bound` is false without a reason: unknown, pending, expired, suspended or revoked',
    }),
)
export type OrgVerify = z.infer<typeof orgVerifySchema>

const latestSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      sequence: z.int().min(1),
      hash: hashSchema,
      event: z.enum(BINDING_EVENTS),
      acceptedAt: timestamp('When the service accepted it'),
    })
    .meta({ id: 'LatestOrgEvent', description: 'The newest log event of the member' }),
)
const terms = /* @__PURE__ */ pure(() => ({
  role: z.enum(ORG_ROLES),
  status: z.enum(MEMBER_STATUSES),
  permissions: z.array(z.enum(ORG_PERMISSIONS)),
  expiresAt: timestamp('When the binding expires').nullable(),
  suspendedFrom: timestamp('When the suspension begins or began').nullable(),
  suspendedUntil: timestamp('When the suspension ends').nullable(),
}))

export const memberBindingSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      memberDid: didSchema,
      provider: providerSchema,
      subjectHash: subjectHashSchema,
      status: terms.status,
      expiresAt: terms.expiresAt,
      latest: latestSchema,
    })
    .meta({ id: 'MemberBinding', description: 'Binds a subject of an identity provider to a member' }),
)
export type MemberBinding = z.infer<typeof memberBindingSchema>
export const membershipSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ memberDid: didSchema, ...terms, latest: latestSchema })
    .meta({ id: 'OrgMembership', description: 'Role, status and permissions of a member' }),
)
export type OrgMembership = z.infer<typeof membershipSchema>
export const ownBindingSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      orgDid: didSchema,
      provider: providerSchema,
      subjectHash: subjectHashSchema,
      ...terms,
      latest: latestSchema,
    })
    .meta({ id: 'OwnOrgBinding', description: 'A binding from its member’s point of view' }),
)

const cursor = /* @__PURE__ */ pure(() =>
  didSchema.nullable().meta({ description: 'Cursor of the next page; null at the end' }),
)
export const membersPageSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ orgDid: didSchema, members: z.array(memberBindingSchema), cursor, head: orgHeadSchema })
    .meta({ id: 'OrgMembersPage', description: 'Bindings that are not revoked, ascending by member DID' }),
)
export type MembersPage = z.infer<typeof membersPageSchema>
export const membershipsPageSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      orgDid: didSchema,
      memberships: z.array(membershipSchema),
      permissionVocabulary: z.array(z.enum(ORG_PERMISSIONS)),
      cursor,
      head: orgHeadSchema,
    })
    .meta({ id: 'OrgMembershipsPage', description: 'Everyone ever bound, ascending by member DID' }),
)
export type MembershipsPage = z.infer<typeof membershipsPageSchema>
export const ownBindingsPageSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ did: didSchema, bindings: z.array(ownBindingSchema), cursor })
    .meta({ id: 'OwnOrgBindings', description: 'Ascending by organization DID' }),
)
export type OwnBindingsPage = z.infer<typeof ownBindingsPageSchema>

export const orgEventsPageSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      orgDid: didSchema,
      events: z.array(orgEventSchema).max(MAX_PAGE_ORG_EVENTS),
      acceptedAt: z
        .array(timestamp('When the service accepted an event'))
        .max(MAX_PAGE_ORG_EVENTS)
        .meta({ description: 'When the service accepted each of these events, epoch ms, in the same order' }),
      next: z.int().nullable().meta({ description: '`from` for the next page; null at the end' }),
      head: orgHeadSchema,
    })
    .meta({ id: 'OrgEventsPage', description: 'A page of the binding log, ascending' }),
)
export type OrgEventsPage = z.infer<typeof orgEventsPageSchema>

export const orgAppendedSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      orgDid: didSchema,
      sequence: z.int(),
      hash: hashSchema,
      acceptedAt: timestamp('When the service accepted it'),
    })
    .meta({ id: 'OrgEventAppended', description: 'Position of the event in the log' }),
)
export type OrgAppended = z.infer<typeof orgAppendedSchema>

/**
 * The member bindings of an organization (workers/docs/pages/developer/organizations.md): its members, their
 * roles, and the identity provider subject that each member signs in with. They form a log of events, each signed by the
 * organization's root key and naming the hash of its predecessor; the current state is a fold over the log. Server and SDK both run
 * this file: `judgeBinding` returns the effect of an event, or the rule it violates.
 *
 * The subject at the provider never appears in cleartext; an event carries a keyed hash of it.
 *
 * @module
 */
import * as z from 'zod'
import { hashHex, hashSchema } from '../base/hash.ts'
import { didSchema, publicKeySchema, scopeSchema } from '../base/identity.ts'
import { isOlderHead, type KnownInception } from '../base/inception-head.ts'
import { jcsBytes } from '../base/jcs.ts'
import { pure } from '../base/pure.ts'
import { err, ok, type Result } from '../base/result.ts'
import { ownedStatementSchema, signedSchema } from '../base/statement.ts'

/** `previousHash` of the first event of a log. */
export const NO_ORG_EVENT = /* @__PURE__ */ pure(() => '0'.repeat(96))

export const ORG_ROLES = ['guest', 'member', 'manager', 'admin'] as const
export type OrgRole = (typeof ORG_ROLES)[number]

/** What a member may do on behalf of the organization. A closed vocabulary, so that all readers agree on its meaning. */
export const ORG_PERMISSIONS = [
  'billing:manage',
  'content:publish',
  'content:sign',
  'members:manage',
  'members:read',
  'records:read',
] as const
export type OrgPermission = (typeof ORG_PERMISSIONS)[number]

export const BINDING_EVENTS = ['bind', 'update', 'suspend', 'resume', 'revoke'] as const
export type BindingEventName = (typeof BINDING_EVENTS)[number]

export const providerSchema = /* @__PURE__ */ pure(() =>
  z
    .string()
    .regex(/^[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?$/, 'must be 1 to 63 of a-z 0-9 . -')
    .meta({ id: 'IdentityProvider', description: 'Identity provider', example: 'login.example.com' }),
)
export const subjectHashSchema = /* @__PURE__ */ hashSchema.meta({
  description: 'Keyed hash of the subject at the provider; the key stays with the organization',
})
const roleSchema = /* @__PURE__ */ z.enum(ORG_ROLES)
const permissionsSchema = /* @__PURE__ */ pure(() =>
  z
    .array(z.enum(ORG_PERMISSIONS))
    .max(ORG_PERMISSIONS.length)
    .refine((names) => new Set(names).size === names.length, 'must not contain duplicates'),
)
const time = (description: string) =>
  z
    .int()
    .min(0)
    .nullable()
    .meta({ description: `${description}, epoch ms` })

/** The member's signed consent to be bound to the organization by this subject. A binding without it is pending. */
export const orgAcceptanceSchema = /* @__PURE__ */ pure(() =>
  ownedStatementSchema('svc/org-acceptance/v1', {
    orgDid: didSchema,
    orgScope: scopeSchema,
    memberDid: didSchema,
    provider: providerSchema,
    subjectHash: subjectHashSchema,
  }).meta({ id: 'OrgAcceptance', description: 'A member agrees to be bound; signed by the member’s root key' }),
)
export const signedOrgAcceptanceSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ ...signedSchema(orgAcceptanceSchema).shape, publicKeyB64u: publicKeySchema })
    .meta({ id: 'SignedOrgAcceptance', description: 'Includes the member’s root key at the time of acceptance' }),
)
export type SignedOrgAcceptance = z.infer<typeof signedOrgAcceptanceSchema>

const TERMS = ['provider', 'subjectHash', 'role', 'permissions', 'expiresAt'] as const
const WINDOW = ['suspendedFrom', 'suspendedUntil'] as const
const MEMBERS: Readonly<Record<BindingEventName, readonly string[]>> = {
  bind: TERMS,
  update: TERMS,
  suspend: WINDOW,
  resume: [],
  revoke: [],
}

/** The first optional member that the event requires but lacks, or has but must not have. */
function strayMember(statement: { readonly event: BindingEventName }): string | null {
  const wanted = MEMBERS[statement.event]
  const stray = [...TERMS, ...WINDOW].find((name) => wanted.includes(name) !== Object.hasOwn(statement, name))
  return stray ?? null
}

export const orgBindingSchema = /* @__PURE__ */ pure(() =>
  ownedStatementSchema('svc/org-binding/v1', {
    orgDid: didSchema,
    orgScope: scopeSchema,
    rootEpoch: z.int().min(0).meta({ description: 'Epoch of the signing root key' }),
    sequence: z.int().min(1).meta({ description: 'Position in the organization’s log; the first is 1' }),
    previousHash: hashSchema.meta({ description: 'Hash of the previous event; 96 zeros for the first' }),
    memberDid: didSchema,
    event: z.enum(BINDING_EVENTS),
    provider: providerSchema.optional(),
    subjectHash: subjectHashSchema.optional(),
    role: roleSchema.optional(),
    permissions: permissionsSchema.optional(),
    expiresAt: time('When the binding expires; null for never').optional(),
    suspendedFrom: time('When the suspension begins; null for immediately').optional(),
    suspendedUntil: time('When the suspension ends; null to suspend until resumed').optional(),
  })
    .refine((statement) => strayMember(statement) === null, {
      message:
        'bind and update require provider, subjectHash, role, permissions and expiresAt; suspend requires suspendedFrom and suspendedUntil',
    })
    .refine(
      ({ suspendedFrom, suspendedUntil }) => suspendedUntil == null || suspendedUntil > (suspendedFrom ?? 0),
      'suspendedUntil must be after suspendedFrom',
    )
    .meta({ id: 'OrgBinding', description: 'One event for a member, signed by the organization’s root key' }),
)
export type OrgBinding = z.infer<typeof orgBindingSchema>

export const orgEventSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      ...signedSchema(orgBindingSchema).shape,
      acceptance: signedOrgAcceptanceSchema.optional(),
    })
    .refine(({ statement, acceptance }) => acceptance === undefined || MEMBERS[statement.event] === TERMS, {
      path: ['acceptance'],
      message: 'is only allowed for bind and update',
    })
    .meta({ id: 'OrgEvent', description: 'A binding event; bind and update may include the member’s acceptance' }),
)
export type OrgEvent = z.infer<typeof orgEventSchema>

export interface OrgHead {
  readonly sequence: number
  readonly hash: string
}
export const orgHeadSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ sequence: z.int().min(0), hash: hashSchema })
    .meta({ id: 'OrgHead', description: 'Newest event of the log; sequence 0 and 96 zeros if the log is empty' }),
)
export const EMPTY_ORG_HEAD: OrgHead = { sequence: 0, hash: NO_ORG_EVENT }

/** State of one member, folded from the log. Only `statusOf` compares times to a clock, so folding needs none. */
export interface Member {
  readonly memberDid: string
  readonly provider: string
  readonly subjectHash: string
  readonly role: OrgRole
  readonly permissions: readonly OrgPermission[]
  readonly expiresAt: number | null
  readonly suspension: { readonly from: number; readonly until: number | null } | null
  readonly isRevoked: boolean
  /** Whether the member has accepted this provider and subject since being bound. */
  readonly isAccepted: boolean
  /** `issuedAt` of the newest acceptance ever accepted; older acceptances cannot be replayed. */
  readonly acceptedAt: number | null
  /** The event of the member's own inception log that this acceptance names. */
  readonly acceptedInception: KnownInception
  readonly latest: { readonly sequence: number; readonly hash: string; readonly event: BindingEventName }
}

export const MEMBER_STATUSES = ['pending', 'active', 'suspended', 'expired', 'revoked'] as const
export type MemberStatus = (typeof MEMBER_STATUSES)[number]

/** Status of a binding at a time. Only `active` counts as bound. End times are exclusive. */
export function statusOf({ isRevoked, isAccepted, expiresAt, suspension }: Member, now: number): MemberStatus {
  if (isRevoked) return 'revoked'
  if (expiresAt !== null && expiresAt <= now) return 'expired'
  if (!isAccepted) return 'pending'
  const isSuspended = suspension && suspension.from <= now && (suspension.until === null || now < suspension.until)
  return isSuspended ? 'suspended' : 'active'
}

export interface OrgState {
  readonly orgDid: string
  readonly orgScope: string
  readonly epoch: number
  readonly head: OrgHead
  /** The event of the organization's inception log that the newest binding event names. */
  readonly inception: KnownInception
  /** Current state of the member that the event is about. */
  readonly member: Member | null
  /** DID of the member currently bound to the subject that the event names; revoked bindings do not count. */
  readonly holder: string | null
}

export type BindingFault =
  | { readonly reason: 'stale_org_head'; readonly head: OrgHead }
  | { readonly reason: 'stale_epoch'; readonly epoch: number }
  /** It names an older event of its signer's inception log than the event, or acceptance, before it. */
  | { readonly reason: 'older_head'; readonly of: 'event' | 'acceptance' }
  | {
      readonly reason:
        | 'owner_mismatch'
        | 'not_eligible'
        | 'member_bound'
        | 'member_not_bound'
        | 'subject_bound'
        | 'acceptance_mismatch'
    }

/** SHA3-384 hex over JCS of the event, including all its signatures. */
export function orgEventHash(event: OrgEvent): string {
  return hashHex(jcsBytes(event))
}

/**
 * The member's state after an event, or the first rule the event violates. Signatures are checked separately. `hash` is
 * the event's hash.
 */
export function judgeBinding(state: OrgState, event: OrgEvent, hash: string): Result<Member, BindingFault> {
  const { statement, acceptance } = event
  const { orgDid, orgScope, rootEpoch, sequence, previousHash, memberDid } = statement
  if (orgDid !== state.orgDid || orgScope !== state.orgScope) return err({ reason: 'owner_mismatch' })
  if (sequence !== state.head.sequence + 1 || previousHash !== state.head.hash) {
    return err({ reason: 'stale_org_head', head: state.head })
  }
  if (rootEpoch !== state.epoch) return err({ reason: 'stale_epoch', epoch: state.epoch })
  if (isOlderHead(statement.inception, state.inception)) return err({ reason: 'older_head', of: 'event' })
  // An organization that is its own member could vouch for itself.
  if (memberDid === orgDid) return err({ reason: 'not_eligible' })
  const current = state.member?.isRevoked === false ? state.member : null
  const latest = { sequence, hash, event: statement.event }
  switch (statement.event) {
    case 'bind':
      return current ? err({ reason: 'member_bound' }) : onTerms(state, statement, acceptance, latest)
    case 'update':
      return current ? onTerms(state, statement, acceptance, latest) : err({ reason: 'member_not_bound' })
    case 'suspend': {
      const { suspendedFrom, suspendedUntil, issuedAt } = statement
      if (!current) return err({ reason: 'member_not_bound' })
      return ok({ ...current, suspension: { from: suspendedFrom ?? issuedAt, until: suspendedUntil ?? null }, latest })
    }
    case 'resume':
      return current ? ok({ ...current, suspension: null, latest }) : err({ reason: 'member_not_bound' })
    case 'revoke':
      return current ? ok({ ...current, isRevoked: true, latest }) : err({ reason: 'member_not_bound' })
  }
}

function onTerms(
  { member, holder, orgDid, orgScope }: OrgState,
  statement: OrgBinding,
  acceptance: SignedOrgAcceptance | undefined,
  latest: Member['latest'],
): Result<Member, BindingFault> {
  const { memberDid, provider = '', subjectHash = '', role = 'guest', permissions = [], expiresAt = null } = statement
  // A subject belongs to one member; otherwise a person who signs in with it would be two members.
  if (holder !== null && holder !== memberDid) return err({ reason: 'subject_bound' })
  const accepted = acceptance?.statement
  const agrees =
    !accepted ||
    (accepted.orgDid === orgDid &&
      accepted.orgScope === orgScope &&
      accepted.memberDid === memberDid &&
      accepted.provider === provider &&
      accepted.subjectHash === subjectHash &&
      // Otherwise an organization could replay a stored acceptance to rebind a member it had revoked.
      accepted.issuedAt > (member?.acceptedAt ?? -1))
  if (!agrees) return err({ reason: 'acceptance_mismatch' })
  const acceptedBefore = member?.acceptedInception ?? null
  if (accepted && isOlderHead(accepted.inception, acceptedBefore))
    return err({ reason: 'older_head', of: 'acceptance' })
  const continued = statement.event === 'update' ? member : null
  const isSameSubject = continued?.provider === provider && continued.subjectHash === subjectHash
  return ok({
    memberDid,
    provider,
    subjectHash,
    role,
    permissions,
    expiresAt,
    suspension: continued?.suspension ?? null,
    isRevoked: false,
    isAccepted: accepted !== undefined || (isSameSubject && continued.isAccepted),
    acceptedAt: accepted?.issuedAt ?? member?.acceptedAt ?? null,
    acceptedInception: accepted ? accepted.inception : acceptedBefore,
    latest,
  })
}

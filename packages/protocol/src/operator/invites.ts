/**
 * Requests for an invitation (workers/docs/pages/developer/account.md): what the operator reads, and the acts that decide
 * about one. An act names the request by a random id, so that its record holds nothing about the person.
 *
 * @module
 */
import * as z from 'zod'
import { pure } from '../base/pure.ts'
import { signedSchema, statementNonceSchema } from '../base/statement.ts'
import { tierSchema } from '../pay/tiers.ts'
import { actSchema } from './act.ts'
import { MAX_GRANT_DAYS } from './dates.ts'

export const INVITE_ID = /^[0-9a-f]{16}$/
export const inviteIdSchema = /* @__PURE__ */ pure(() =>
  z
    .string()
    .regex(INVITE_ID, 'must be 16 lowercase hex characters')
    .meta({ description: 'The `id` of the request in the list. Random, and meaningless once the request is deleted' }),
)

const daysSchema = /* @__PURE__ */ pure(() =>
  z.int().min(1).max(MAX_GRANT_DAYS).meta({ description: 'How many days the tier lasts from its redemption' }),
)

export const inviteApprovalSchema = /* @__PURE__ */ pure(() =>
  actSchema('svc/operator-invite-approve/v1', 'core', {
    inviteId: inviteIdSchema,
    tier: tierSchema,
    days: daysSchema,
  }).meta({
    id: 'InviteApprovalAct',
    description: 'Approve a request for an invitation: issues a code for the tier, and mails it to the address',
  }),
)

export const inviteDeclineSchema = /* @__PURE__ */ pure(() =>
  actSchema('svc/operator-invite-decline/v1', 'core', {
    inviteId: inviteIdSchema,
    mail: z.boolean().meta({ description: 'Whether the person is told by mail' }),
  }).meta({ id: 'InviteDeclineAct', description: 'Decline a request for an invitation' }),
)

export const inviteForgetSchema = /* @__PURE__ */ pure(() =>
  actSchema('svc/operator-invite-forget/v1', 'core', {
    inviteId: inviteIdSchema,
  }).meta({ id: 'InviteForgetAct', description: 'Delete a request for an invitation at once, decided or not' }),
)

export const inviteActSchemas = /* @__PURE__ */ pure(
  () =>
    [
      signedSchema(inviteApprovalSchema).meta({ id: 'SignedInviteApproval' }),
      signedSchema(inviteDeclineSchema).meta({ id: 'SignedInviteDecline' }),
      signedSchema(inviteForgetSchema).meta({ id: 'SignedInviteForget' }),
    ] as const,
)

const position = /* @__PURE__ */ pure(() => z.int().min(0))
const time = /* @__PURE__ */ pure(() => z.int().min(0))

export const inviteReadSchema = /* @__PURE__ */ pure(() =>
  actSchema('svc/operator-invites/v1', 'core', {
    after: position.meta({ description: '0 to begin; then `next` of the previous answer' }),
  }).meta({ id: 'InviteRead', description: 'List requests for an invitation' }),
)
export const signedInviteReadSchema = /* @__PURE__ */ pure(() =>
  signedSchema(inviteReadSchema).meta({ id: 'SignedInviteRead' }),
)
export type InviteReadStatement = z.infer<typeof inviteReadSchema>

/** `approving` and `declining`: decided, and not carried out yet. */
export const INVITE_STATES = ['open', 'approving', 'approved', 'declining', 'declined'] as const
export type InviteState = (typeof INVITE_STATES)[number]

const personal = (what: string) =>
  z
    .string()
    .nullable()
    .meta({ description: `${what}; null if the secret that it was encrypted under is lost` })

export const inviteSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      id: inviteIdSchema,
      state: z.enum(INVITE_STATES).meta({
        description: '`approving` and `declining`: decided, but the mail is still to be sent. Done within the hour',
      }),
      requestedAt: time.meta({ description: 'Epoch ms' }),
      decidedAt: time.nullable().meta({ description: 'Epoch ms; null while it is open' }),
      forgetAt: time.meta({ description: 'When the request is deleted, epoch ms' }),
      grants: z
        .strictObject({ tier: tierSchema, days: daysSchema })
        .nullable()
        .meta({ description: 'What the code of an approval gives; null without one' }),
      email: personal('The address'),
      name: personal('The name'),
      reason: personal('What the person wrote'),
    })
    .meta({ id: 'Invite', description: 'A request for an invitation, with the personal data in it' }),
)
export type Invite = z.infer<typeof inviteSchema>

export const invitePageSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      type: z.string(),
      nonce: statementNonceSchema,
      recordedAt: z.number(),
      invites: z.array(inviteSchema),
      next: position.nullable().meta({ description: '`after` for the next page; null on the last' }),
    })
    .meta({ id: 'InvitePage', description: 'Oldest first' }),
)
export type InvitePage = z.infer<typeof invitePageSchema>

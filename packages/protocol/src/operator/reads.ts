/**
 * What only the operator reads (workers/docs/pages/developer/operating.md): disputes at consent, takedowns with their
 * state, grants of an identity at pay, and texts of one registrant. Each read is a signed statement, recorded like an act,
 * on a route of its own.
 *
 * @module
 */
import * as z from 'zod'
import { didSchema } from '../base/identity.ts'
import { pure } from '../base/pure.ts'
import { signedSchema, statementNonceSchema, statementSchema } from '../base/statement.ts'
import { preferencesSchema } from '../consent/consent.ts'
import { contentHashSchema } from '../consent/identifiers.ts'
import { grantSchema } from '../pay/entitlements.ts'
import { tierSchema } from '../pay/tiers.ts'
import { textAssetIdSchema } from '../provenance/text-assets.ts'
import { actSchema } from './act.ts'
import { type TakedownServiceName, takedownRecordSchema } from './takedown.ts'

const time = /* @__PURE__ */ pure(() => z.int().min(0).meta({ description: 'Epoch ms' }))
const position = /* @__PURE__ */ pure(() => z.int().min(0))
const after = /* @__PURE__ */ position.meta({ description: '0 to begin; then `next` of the previous answer' })
const next = /* @__PURE__ */ pure(() =>
  position.nullable().meta({ description: '`after` for the next page; null on the last' }),
)
/** What every read answers besides its page. */
const recorded = /* @__PURE__ */ pure(() => ({ type: z.string(), nonce: statementNonceSchema, recordedAt: z.number() }))

export const disputeReadSchema = /* @__PURE__ */ pure(() =>
  actSchema('svc/operator-disputes/v1', 'consent', {
    after: contentHashSchema.nullable().meta({ description: 'Null to begin; then `next` of the previous answer' }),
  }).meta({ id: 'DisputeRead', description: 'List identifiers with claims that are not settled' }),
)
export const signedDisputeReadSchema = /* @__PURE__ */ pure(() =>
  signedSchema(disputeReadSchema).meta({ id: 'SignedDisputeRead' }),
)
export type DisputeReadStatement = z.infer<typeof disputeReadSchema>

export const disputeSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      contentHash: contentHashSchema,
      holderDid: didSchema,
      preferences: preferencesSchema.nullable().meta({ description: 'What the holder declares; null if nothing' }),
      declaredAt: time.meta({ description: 'When the identifier was declared first, epoch ms' }),
      claims: z
        .array(z.strictObject({ creatorDid: didSchema, preferences: preferencesSchema, recordedAt: time }))
        .meta({ description: 'Oldest first. The history of the identifier has them with their signatures' }),
    })
    .meta({ id: 'Dispute' }),
)
export type Dispute = z.infer<typeof disputeSchema>
export const disputePageSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ ...recorded, disputes: z.array(disputeSchema), next: contentHashSchema.nullable() })
    .meta({ id: 'DisputePage', description: 'Ordered by identifier; `next` is null on the last page' }),
)
export type DisputePage = z.infer<typeof disputePageSchema>

/** Of each service that takes something down. */
export const takedownReadSchema = /* @__PURE__ */ pure(() =>
  statementSchema('svc/operator-takedowns/v1', {
    service: z.enum(['core', 'provenance']).meta({ description: 'The service whose takedowns are read' }),
    nonce: statementNonceSchema,
    after,
  }),
)
export const signedTakedownReadOf = (service: TakedownServiceName) =>
  signedSchema(
    actSchema('svc/operator-takedowns/v1', service, { after }).meta({
      id: 'TakedownRead',
      description: 'List takedowns, and whether each was carried out',
    }),
  ).meta({ id: 'SignedTakedownRead' })
export type SignedTakedownRead = z.infer<ReturnType<typeof signedTakedownReadOf>>

export const operatorTakedownSchema = /* @__PURE__ */ pure(() =>
  takedownRecordSchema
    .extend({
      doneAt: time.nullable().meta({
        description: 'When this act was carried out, epoch ms; null if it was interrupted: send it or another one',
      }),
    })
    .meta({ id: 'OperatorTakedown' }),
)
export type OperatorTakedown = z.infer<typeof operatorTakedownSchema>
export const operatorTakedownPageSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ ...recorded, takedowns: z.array(operatorTakedownSchema), next })
    .meta({ id: 'OperatorTakedownPage', description: 'Oldest first' }),
)
export type OperatorTakedownPage = z.infer<typeof operatorTakedownPageSchema>

export const grantReadSchema = /* @__PURE__ */ pure(() =>
  actSchema('svc/operator-grants/v1', 'pay', { did: didSchema }).meta({
    id: 'GrantRead',
    description: 'List what gives an identity its tier',
  }),
)
export const signedGrantReadSchema = /* @__PURE__ */ pure(() =>
  signedSchema(grantReadSchema).meta({ id: 'SignedGrantRead' }),
)
export type GrantReadStatement = z.infer<typeof grantReadSchema>

export const grantListSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      ...recorded,
      did: didSchema,
      tier: tierSchema,
      grants: z.array(grantSchema).meta({ description: 'Active and future ones, as their owner sees them' }),
    })
    .meta({ id: 'GrantList' }),
)
export type GrantList = z.infer<typeof grantListSchema>

export const textReadSchema = /* @__PURE__ */ pure(() =>
  actSchema('svc/operator-texts/v1', 'provenance', {
    assetId: textAssetIdSchema,
    after: textAssetIdSchema.nullable().meta({ description: 'Null to begin; then `next` of the previous answer' }),
  }).meta({ id: 'TextRead', description: 'List what the registrant of a text has registered' }),
)
export const signedTextReadSchema = /* @__PURE__ */ pure(() =>
  signedSchema(textReadSchema).meta({ id: 'SignedTextRead' }),
)
export type TextReadStatement = z.infer<typeof textReadSchema>

export const registrantPageSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      ...recorded,
      texts: z.array(z.strictObject({ assetId: textAssetIdSchema, registeredAt: time })),
      next: textAssetIdSchema.nullable(),
    })
    .meta({
      id: 'RegistrantPage',
      description: 'Ordered by id, the text itself included; empty if it is not registered',
    }),
)
export type RegistrantPage = z.infer<typeof registrantPageSchema>

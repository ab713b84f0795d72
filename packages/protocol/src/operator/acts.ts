/**
 * Operator acts (workers/docs/pages/developer/operating.md): statements signed by the deployment's operator key. They
 * are the only way an operator can affect an identity, and each one is recorded.
 *
 * @module
 */
import * as z from 'zod'
import { hashSchema } from '../base/hash.ts'
import { didSchema } from '../base/identity.ts'
import { pure } from '../base/pure.ts'
import { signedSchema, statementNonceSchema, statementSchema } from '../base/statement.ts'
import { signedRotationRequestSchema } from '../chain/rotation.ts'
import { epochNumberSchema } from '../keys/epochs.ts'
import { governancePolicySchema } from '../ledger/governance.ts'
import { signedWithheldSchema } from '../ledger/withheld.ts'
import { logNameSchema } from '../merkle/log-name.ts'
import { nextLogSchema } from '../merkle/roll.ts'
import { grantSchema } from '../pay/entitlements.ts'
import { tierSchema } from '../pay/tiers.ts'
import { VECTOR_SERVICES } from '../provenance/vector-services.ts'
import { actSchema } from './act.ts'
import { actDate, MAX_GRANT_DAYS } from './dates.ts'
import { deadLetterActSchema } from './dead-letters.ts'
import { importedSchema, signedCommitmentImportSchema } from './imports.ts'
import { inviteActSchemas } from './invites.ts'
import { rebuildSchemas, rebuiltObjectsSchema } from './rebuild-objects.ts'
import { signedContentTakedownSchema, signedTakedownSchema } from './takedown.ts'

export const operatorActAnswerSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ type: z.string(), nonce: z.string(), recordedAt: z.number() }).meta({ id: 'OperatorActAnswer' }),
)

export const chainReindexSchema = /* @__PURE__ */ pure(() =>
  actSchema('svc/operator-chain-reindex/v1', 'core', {
    did: didSchema,
  }).meta({ id: 'ChainReindexAct', description: 'Rebuild the chain projection of one identity' }),
)

export const rotationApprovalSchema = /* @__PURE__ */ pure(() =>
  actSchema('svc/operator-rotation-approve/v1', 'core', {
    did: didSchema,
    rotationId: hashSchema,
    request: signedRotationRequestSchema
      .optional()
      .meta({ description: 'The request, if core does not have it. Its hash is `rotationId`' }),
  }).meta({
    id: 'RotationApprovalAct',
    description: 'Approve a version 1 rotation, also one that was stopped; anyone then activates it',
  }),
)

export const firstPolicySchema = /* @__PURE__ */ pure(() =>
  actSchema('svc/operator-governance-policy/v1', 'core', {
    policy: governancePolicySchema,
    previousPolicyId: z.null().meta({ description: 'It has no predecessor' }),
    nonce: statementNonceSchema.meta({ description: 'Single-use, and part of `policyId`' }),
  }).meta({
    id: 'FirstPolicyAct',
    description: 'Set the first governance policy; its signers authorize all later ones',
  }),
)

/** Anchors of one act: each is a file to read and signatures to verify. */
export const MAX_REBUILT_ANCHORS = 200

export const rebuildAnchorsSchema = /* @__PURE__ */ pure(() =>
  actSchema('svc/operator-rebuild-anchors/v1', 'core', {
    log: logNameSchema,
    from: z.int().min(0).meta({ description: 'Index of the first leaf' }),
    to: z
      .int()
      .min(1)
      .meta({ description: `Index after the last leaf, at most ${MAX_REBUILT_ANCHORS} after \`from\`` }),
  })
    .refine(({ from, to }) => to > from && to - from <= MAX_REBUILT_ANCHORS, {
      path: ['to'],
      message: `must be 1 to ${MAX_REBUILT_ANCHORS} after from`,
    })
    .meta({ id: 'RebuildAnchorsAct', description: 'Write the index of a part of an anchor log again, from its files' }),
)
export type RebuildAnchors = Pick<z.infer<typeof rebuildAnchorsSchema>, 'log' | 'from' | 'to'>

const roll = /* @__PURE__ */ pure(() => ({
  log: logNameSchema.meta({ description: 'The open log. It ends with a leaf that names the next one' }),
  next: nextLogSchema.meta({
    id: 'NextLog',
    description: 'The log that takes leaves from then on. A list must announce it',
  }),
}))
/** A roll of either log. Each service reads the form of its own. */
export const rollLogSchema = /* @__PURE__ */ pure(() =>
  statementSchema('svc/operator-roll-log/v1', {
    service: z.enum(['core', 'keys']).meta({ description: 'The service that takes the act' }),
    nonce: statementNonceSchema,
    ...roll,
  }),
)
const rollAnchorsSchema = /* @__PURE__ */ pure(() =>
  actSchema('svc/operator-roll-log/v1', 'core', roll).meta({
    id: 'RollAnchorLogAct',
    description: 'Close the log of anchors and open the next one',
  }),
)
const rollDirectorySchema = /* @__PURE__ */ pure(() =>
  actSchema('svc/operator-roll-log/v1', 'keys', roll).meta({
    id: 'RollDirectoryLogAct',
    description: 'Close the log of the key directory and open the next one',
  }),
)

export const operatorActSchema = /* @__PURE__ */ pure(() =>
  z
    .union([
      signedSchema(chainReindexSchema).meta({ id: 'SignedChainReindex' }),
      signedSchema(rotationApprovalSchema).meta({ id: 'SignedRotationApproval' }),
      signedSchema(firstPolicySchema).meta({ id: 'SignedFirstPolicy' }),
      signedSchema(rebuildAnchorsSchema).meta({ id: 'SignedRebuildAnchors' }),
      signedSchema(rollAnchorsSchema).meta({ id: 'SignedRollAnchorLog' }),
      signedContentTakedownSchema,
      signedWithheldSchema,
      ...inviteActSchemas,
      rebuildSchemas.core,
    ])
    .meta({ id: 'OperatorAct', description: 'One operator act, identified by its `type`' }),
)
export type OperatorAct = z.infer<typeof operatorActSchema>
/** Of a service whose acts answer with nothing but rebuilds. */
export const actOrRebuildAnswerSchema = /* @__PURE__ */ z.union([rebuiltObjectsSchema, operatorActAnswerSchema])

export const operatorEpochSchema = /* @__PURE__ */ pure(() =>
  actSchema(
    'svc/operator-epoch/v1',
    'keys',
    {
      epoch: epochNumberSchema,
      opensAt: actDate('epoch', 'When it begins, which cannot be before the previous epoch ends'),
      closesAt: actDate('epoch', 'When it ends'),
    },
    { opensAt: 'epoch', closesAt: 'epoch' },
  ).meta({ id: 'EpochAct', description: 'Open an epoch' }),
)

export const epochWithdrawalSchema = /* @__PURE__ */ pure(() =>
  actSchema('svc/operator-epoch-withdraw/v1', 'keys', {
    epoch: epochNumberSchema,
  }).meta({
    id: 'EpochWithdrawalAct',
    description: 'Withdraw an epoch that has not begun. Its number is not used again',
  }),
)

export const keysOperatorActSchema = /* @__PURE__ */ pure(() =>
  z
    .union([
      signedSchema(operatorEpochSchema).meta({ id: 'SignedEpochAct' }),
      signedSchema(epochWithdrawalSchema).meta({ id: 'SignedEpochWithdrawal' }),
      signedSchema(rollDirectorySchema).meta({ id: 'SignedRollDirectoryLog' }),
      rebuildSchemas.keys,
    ])
    .meta({ id: 'KeysOperatorAct', description: 'One operator act, identified by its `type`' }),
)
export type KeysOperatorAct = z.infer<typeof keysOperatorActSchema>

const codeHash = /* @__PURE__ */ hashSchema.meta({
  description:
    'SHA3-384 of `svc/code/v1:` followed by the sixteen characters of the code, without hyphens; the code is not sent',
})
export const entitlementCodeActSchema = /* @__PURE__ */ pure(() =>
  actSchema(
    'svc/operator-entitlement-code/v1',
    'pay',
    {
      codeHash,
      tier: tierSchema,
      redeemableUntil: actDate('grant', 'Until when it can be redeemed'),
      days: z.int().min(1).max(MAX_GRANT_DAYS).meta({ description: 'How many days the tier lasts' }),
    },
    { redeemableUntil: 'grant' },
  ).meta({ id: 'EntitlementCodeAct', description: 'Issue one code that grants a tier' }),
)

export const codeWithdrawalSchema = /* @__PURE__ */ pure(() =>
  actSchema('svc/operator-entitlement-code-withdraw/v1', 'pay', { codeHash }).meta({
    id: 'CodeWithdrawalAct',
    description: 'Withdraw a code that was not redeemed. What a redeemed one gave ends with the end of its grant',
  }),
)

/** What an operator grants: a licence to an identity, or the plan that an organization's routes need. */
export const LICENCE_SOURCES = ['licence', 'organization'] as const

export const licenceActSchema = /* @__PURE__ */ pure(() =>
  actSchema(
    'svc/operator-licence/v1',
    'pay',
    {
      did: didSchema,
      source: z.enum(LICENCE_SOURCES).meta({
        description: 'An identity has at most one licence, and an organization at most one plan: the newest act counts',
      }),
      action: z.enum(['grant', 'revoke']),
      tier: tierSchema.nullable().meta({ description: 'Null for `revoke`' }),
      expiresAt: actDate('grant', 'When it ends; null for `revoke`').nullable(),
    },
    { expiresAt: 'grant' },
  )
    .refine(
      ({ action, tier, expiresAt }) => [tier, expiresAt].every((term) => (term !== null) === (action === 'grant')),
      {
        path: ['action'],
        message: 'must have `tier` and `expiresAt` for grant, and nulls for revoke',
      },
    )
    .meta({ id: 'LicenceAct', description: 'Grant a licence or the plan of an organization, or revoke it' }),
)
export type LicenceAct = z.infer<typeof licenceActSchema>

/** Why an operator ended a grant. Recorded with the act; the owner sees only that the grant has ended. */
export const GRANT_END_REASONS = ['refund', 'chargeback', 'mistake', 'abuse', 'legal'] as const

export const grantEndSchema = /* @__PURE__ */ pure(() =>
  actSchema('svc/operator-grant-end/v1', 'pay', {
    grantId: grantSchema.shape.id,
    reason: z.enum(GRANT_END_REASONS),
  }).meta({ id: 'GrantEndAct', description: 'End a grant now; a later event of its provider does not revive it' }),
)

export const payOperatorActSchema = /* @__PURE__ */ pure(() =>
  z
    .union([
      signedSchema(entitlementCodeActSchema).meta({ id: 'SignedEntitlementCode' }),
      signedSchema(codeWithdrawalSchema).meta({ id: 'SignedCodeWithdrawal' }),
      signedSchema(licenceActSchema).meta({ id: 'SignedLicence' }),
      signedSchema(grantEndSchema).meta({ id: 'SignedGrantEnd' }),
      signedSchema(deadLetterActSchema).meta({ id: 'SignedDeadLetterAct' }),
      rebuildSchemas.pay,
    ])
    .meta({ id: 'PayOperatorAct', description: 'One operator act, identified by its `type`' }),
)
export type PayOperatorAct = z.infer<typeof payOperatorActSchema>

export const reindexSchema = /* @__PURE__ */ pure(() =>
  actSchema('svc/operator-reindex/v1', 'provenance', {
    index: z.enum(VECTOR_SERVICES),
    after: z.int().min(0).meta({ description: '0 to begin; then `next` of the previous response' }),
  }).meta({ id: 'Reindex', description: 'Reindex one page of a service’s vector sets' }),
)
export const reindexActSchema = /* @__PURE__ */ pure(() => signedSchema(reindexSchema).meta({ id: 'SignedReindex' }))
export const provenanceOperatorActSchema = /* @__PURE__ */ pure(() =>
  z
    .union([reindexActSchema, signedTakedownSchema, signedCommitmentImportSchema, rebuildSchemas.provenance])
    .meta({ id: 'ProvenanceOperatorAct', description: 'One operator act, identified by its `type`' }),
)
export type ProvenanceOperatorAct = z.infer<typeof provenanceOperatorActSchema>

export const reindexedSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      type: z.string(),
      nonce: z.string(),
      recordedAt: z.number(),
      indexed: z.int().min(0).meta({ description: 'Sets that are now in the index' }),
      missing: z.int().min(0).meta({ description: 'Sets whose bytes are missing or do not match their key' }),
      next: z.int().nullable().meta({ description: '`after` for the next page; null on the last' }),
    })
    .meta({ id: 'Reindexed' }),
)
export const provenanceActAnswerSchema = /* @__PURE__ */ z.union([
  reindexedSchema,
  importedSchema,
  rebuiltObjectsSchema,
  operatorActAnswerSchema,
])
export type Reindexed = Pick<z.infer<typeof reindexedSchema>, 'indexed' | 'missing' | 'next'>

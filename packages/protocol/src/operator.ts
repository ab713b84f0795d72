/**
 * Operator acts: statements by the deployment's operator key. They are the only way in which an operator touches
 * an identity, and each is recorded.
 *
 * @module
 */
import * as z from 'zod'
import { governancePolicySchema } from './governance.ts'
import { hashSchema } from './hash.ts'
import { didSchema } from './identity.ts'
import { LICENCE_TIERS } from './licences.ts'
import { signedSchema, statementNonceSchema, statementSchema } from './statement.ts'

/** Clock tolerance of an operator act; its nonce is kept for good, so this only bounds typing mistakes. */
export const OPERATOR_ACT_TOLERANCE_MS = 300_000

export const chainReindexSchema = statementSchema('svc/operator-chain-reindex/v1', {
  did: didSchema,
  nonce: statementNonceSchema,
}).meta({ id: 'ChainReindexAct', description: 'Rebuild the chain projection of one identity' })

export const rotationApprovalSchema = statementSchema('svc/operator-rotation-approve/v1', {
  did: didSchema,
  rotationId: hashSchema,
  nonce: statementNonceSchema,
}).meta({ id: 'RotationApprovalAct', description: 'Approve a pending version-1 rotation; its owner then activates it' })

export const firstPolicySchema = statementSchema('svc/operator-governance-policy/v1', {
  policy: governancePolicySchema,
  nonce: statementNonceSchema,
}).meta({ id: 'FirstPolicyAct', description: 'The first governance policy; every later one is its signers’ affair' })

export const activationCodeSchema = statementSchema('svc/operator-activation-code/v1', {
  codeHash: hashSchema.meta({ description: 'SHA3-384 of the code without hyphens; the code itself is not sent' }),
  tier: z.enum(LICENCE_TIERS),
  redeemableUntil: z.int().min(0).meta({ description: 'Epoch ms' }),
  licenceDays: z.int().min(1).max(3660).meta({ description: 'How long the licence lasts from its redemption' }),
  nonce: statementNonceSchema,
}).meta({ id: 'ActivationCodeAct', description: 'Issue one activation code' })

export const operatorActSchema = z
  .union([
    signedSchema(chainReindexSchema).meta({ id: 'SignedChainReindex' }),
    signedSchema(rotationApprovalSchema).meta({ id: 'SignedRotationApproval' }),
    signedSchema(firstPolicySchema).meta({ id: 'SignedFirstPolicy' }),
    signedSchema(activationCodeSchema).meta({ id: 'SignedActivationCode' }),
  ])
  .meta({ id: 'OperatorAct', description: 'One act, by its `type`' })
export type OperatorAct = z.infer<typeof operatorActSchema>

export const orgLicenceSchema = statementSchema('svc/operator-org-licence/v1', {
  orgDid: didSchema,
  action: z.enum(['grant', 'revoke']),
  expiresAt: z
    .int()
    .min(0)
    .nullable()
    .meta({ description: 'When a granted licence ends, epoch ms; null for `revoke`' }),
  nonce: statementNonceSchema,
})
  .refine(({ action, expiresAt }) => (action === 'grant') === (expiresAt !== null), {
    path: ['expiresAt'],
    message: 'a time for grant, null for revoke',
  })
  .meta({ id: 'OrgLicenceAct', description: 'Grant an organization a licence, or revoke it' })

/** What the DID service takes of its operator. */
export const didOperatorActSchema = signedSchema(orgLicenceSchema).meta({ id: 'SignedOrgLicence' })
export type DidOperatorAct = z.infer<typeof didOperatorActSchema>

export const operatorActAnswerSchema = z
  .strictObject({ type: z.string(), nonce: z.string(), recordedAt: z.number() })
  .meta({ id: 'OperatorActAnswer' })

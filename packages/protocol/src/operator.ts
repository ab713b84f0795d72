/**
 * Operator acts: statements by the deployment's operator key. They are the only way in which an operator touches
 * an identity, and each is recorded.
 *
 * @module
 */
import * as z from 'zod'
import { hashSchema } from './hash.ts'
import { didSchema } from './identity.ts'
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

export const operatorActSchema = z
  .union([
    signedSchema(chainReindexSchema).meta({ id: 'SignedChainReindex' }),
    signedSchema(rotationApprovalSchema).meta({ id: 'SignedRotationApproval' }),
  ])
  .meta({ id: 'OperatorAct', description: 'One act, by its `type`' })
export type OperatorAct = z.infer<typeof operatorActSchema>

export const operatorActAnswerSchema = z
  .strictObject({ type: z.string(), nonce: z.string(), recordedAt: z.number() })
  .meta({ id: 'OperatorActAnswer' })

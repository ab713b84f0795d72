/**
 * The settlement of a dispute about an identifier (workers/docs/pages/developer/consent.md): an operator act that passes
 * it to another creator. It takes a place among the acts of the record, so that readers can verify the history before
 * and after it.
 *
 * @module
 */
import * as z from 'zod'
import { didSchema, publicKeySchema, signatureSchema, userIdSchema } from '../base/identity.ts'
import { pure } from '../base/pure.ts'
import { signedSchema } from '../base/statement.ts'
import { actSchema } from '../operator/act.ts'
import { contentHashSchema } from './identifiers.ts'

/** Public, as codes: free text could carry content or personal data. */
export const SETTLEMENT_REASONS = ['agreement', 'authorship', 'court_order', 'impersonation', 'mistake'] as const

export const consentSettleSchema = /* @__PURE__ */ pure(() =>
  actSchema('svc/operator-consent-settle/v1', 'consent', {
    contentHash: contentHashSchema,
    creatorDid: didSchema.meta({ description: 'Who holds the identifier from now on' }),
    reason: z.enum(SETTLEMENT_REASONS),
  }).meta({ id: 'ConsentSettleAct', description: 'Pass an identifier to another creator' }),
)
export type ConsentSettleStatement = z.infer<typeof consentSettleSchema>

export const signedConsentSettleSchema = /* @__PURE__ */ pure(() =>
  signedSchema(consentSettleSchema).meta({ id: 'SignedConsentSettle' }),
)
export type SignedConsentSettle = z.infer<typeof signedConsentSettleSchema>

/** A settlement in the history of a record. Nothing is declared after it until the new creator declares. */
export const consentSettlementSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      version: z.int().min(1),
      action: z.literal('settle'),
      previous_creator_did: didSchema.meta({ description: 'Who signed the acts before' }),
      statement: consentSettleSchema,
      signature_b64u: signatureSchema,
      signer: z.strictObject({ kind: z.literal('operator'), user_id: userIdSchema }),
      public_key_b64u: publicKeySchema,
      recorded_at: z.int().min(0),
    })
    .meta({ id: 'ConsentSettlement', description: 'The operator passed the identifier to another creator' }),
)
export type ConsentSettlement = z.infer<typeof consentSettlementSchema>

/**
 * Competing claims (workers/docs/pages/developer/consent.md): declarations that others signed for an identifier which a
 * creator holds already. They declare nothing; the history shows them, so that readers and the operator see a dispute.
 *
 * @module
 */
import * as z from 'zod'
import { didSchema, publicKeySchema, signatureSchema } from '../base/identity.ts'
import { pure } from '../base/pure.ts'
import { consentSignerSchema, preferencesSchema, timeSchema } from './consent.ts'
import { contentHashSchema } from './identifiers.ts'

/** Claimants of one identifier that are remembered, the newest: 9 kB each, with key and signature. */
export const MAX_CLAIMS = 16
/** Claims of one claimant to one identifier, the withdrawn ones included: signatures of all are remembered. */
export const MAX_CLAIM_ACTS = 8

export const consentClaimSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      creator_did: didSchema.meta({ description: 'Who claims the identifier' }),
      preferences: preferencesSchema.meta({
        description: 'As signed. They count for nothing while another one holds it',
      }),
      signature_b64u: signatureSchema.meta({ description: 'Over the message of a creation' }),
      signer: consentSignerSchema,
      public_key_b64u: publicKeySchema,
      recorded_at: timeSchema,
      settled_at: timeSchema
        .nullable()
        .meta({ description: 'When the operator decided for somebody else; null if open' }),
    })
    .meta({ id: 'ConsentClaim', description: 'A signed declaration for an identifier that another creator holds' }),
)
export type ConsentClaim = z.infer<typeof consentClaimSchema>

export const withdrawnClaimSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      content_hash: contentHashSchema,
      creator_did: didSchema,
      withdrawn: z.literal(true),
      withdrawn_at: timeSchema,
    })
    .meta({ id: 'WithdrawnClaim', description: 'The claim is gone from the history' }),
)
export type WithdrawnClaim = z.infer<typeof withdrawnClaimSchema>

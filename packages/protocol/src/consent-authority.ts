/**
 * The wire between consent and provenance (document 2 section 5.5): may this key speak for this DID, and is this its
 * signature. The question carries the message itself and never bytes, so that nothing else can be had verified, and the
 * DID asked about is the one that was signed.
 *
 * @module
 */
import * as z from 'zod'
import { consentMessageSchema, consentSignerSchema } from './consent.ts'
import { hashHex, hashSchema } from './hash.ts'
import { publicKeySchema, signatureSchema } from './identity.ts'
import { jcsBytes } from './jcs.ts'

export const consentQuestionSchema = z
  .strictObject({ message: consentMessageSchema, publicKeyB64u: publicKeySchema, signatureB64u: signatureSchema })
  .meta({ id: 'ConsentQuestion' })
export type ConsentQuestion = z.infer<typeof consentQuestionSchema>

const questionHash = hashSchema.meta({ description: 'SHA3-384 over the JCS of the question' })
export const consentVerdictSchema = z
  .union([
    z.strictObject({ authorized: z.literal(true), questionHash, signer: consentSignerSchema }),
    z.strictObject({
      authorized: z.literal(false),
      questionHash,
      reason: z.enum(['invalid_signature', 'key_not_entitled']),
    }),
  ])
  .meta({ id: 'ConsentVerdict', description: 'An answer; where there is doubt there is none, but 503' })
export type ConsentVerdict = z.infer<typeof consentVerdictSchema>

/** An answer names its question, so that an answer to another one is none. */
export function consentQuestionHash(question: ConsentQuestion): string {
  return hashHex(jcsBytes(question))
}

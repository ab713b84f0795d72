/**
 * Internal request from consent to provenance: may this key act for this DID, and is this its signature? The question
 * carries the message itself rather than bytes, so that it cannot be used to verify anything else, and so that the DID
 * in question is the signed one.
 *
 * @module
 */
import * as z from 'zod'
import { hashHex, hashSchema } from '../base/hash.ts'
import { publicKeySchema, signatureSchema } from '../base/identity.ts'
import { jcsBytes } from '../base/jcs.ts'
import { pure } from '../base/pure.ts'
import { consentMessageSchema, consentSignerSchema } from './consent.ts'

export const consentQuestionSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ message: consentMessageSchema, publicKeyB64u: publicKeySchema, signatureB64u: signatureSchema })
    .meta({ id: 'ConsentQuestion' }),
)
export type ConsentQuestion = z.infer<typeof consentQuestionSchema>

const questionHash = /* @__PURE__ */ hashSchema.meta({ description: 'SHA3-384 over the JCS of the question' })
export const consentVerdictSchema = /* @__PURE__ */ pure(() =>
  z
    .union([
      z.strictObject({ authorized: z.literal(true), questionHash, signer: consentSignerSchema }),
      z.strictObject({
        authorized: z.literal(false),
        questionHash,
        reason: z.enum(['invalid_signature', 'key_not_entitled']),
      }),
    ])
    .meta({ id: 'ConsentVerdict', description: 'A definite verdict; if none can be reached, the response is 503' }),
)
export type ConsentVerdict = z.infer<typeof consentVerdictSchema>

/** A verdict includes this hash of its question, so that it cannot be mistaken for the answer to another one. */
export function consentQuestionHash(question: ConsentQuestion): string {
  return hashHex(jcsBytes(question))
}

/**
 * Guardian attestations (document 2 section 4.4): an identity names guardians and a threshold, and each guardian signs
 * that it attests one subject. What a met threshold is good for is for whoever asked to say; nothing here acts on it.
 *
 * @module
 */
import * as z from 'zod'
import { hashSchema } from './hash.ts'
import { didSchema, publicKeySchema, scopeSchema } from './identity.ts'
import { signedSchema, statementHash, statementNonceSchema, statementSchema } from './statement.ts'

/** A signature and its key take 7 kB: sixteen attestations make an answer of 112 kB. */
export const MAX_GUARDIANS = 16
export const MAX_GUARDIAN_DAYS = 30
/** Requests of one identity that are open at a time. */
export const MAX_OPEN_REQUESTS = 20

export const guardianRequestSchema = statementSchema('svc/guardian-request/v1', {
  did: didSchema,
  scope: scopeSchema,
  subjectHash: hashSchema.meta({ description: 'What is attested: SHA3-384 of whatever the guardians were shown' }),
  guardians: z.array(didSchema).min(1).max(MAX_GUARDIANS),
  threshold: z.int().min(1).max(MAX_GUARDIANS),
  expiresAt: z
    .int()
    .min(0)
    .meta({ description: 'No attestation is taken from then on, epoch ms; at most 30 days ahead' }),
  nonce: statementNonceSchema,
}).meta({ id: 'GuardianRequest', description: 'The root key asks guardians to attest a subject' })
export const signedGuardianRequestSchema = signedSchema(guardianRequestSchema).meta({ id: 'SignedGuardianRequest' })
export type SignedGuardianRequest = z.infer<typeof signedGuardianRequestSchema>
export type GuardianRequest = SignedGuardianRequest['statement']

export const guardianAttestationSchema = statementSchema('svc/guardian-attestation/v1', {
  requestId: hashSchema.meta({ description: 'SHA3-384 over JCS of the request' }),
  did: didSchema.meta({ description: 'Who asked' }),
  subjectHash: hashSchema,
  guardianDid: didSchema,
}).meta({ id: 'GuardianAttestation', description: 'A guardian attests a subject; signed by its root key' })
export const signedGuardianAttestationSchema = signedSchema(guardianAttestationSchema).meta({
  id: 'SignedGuardianAttestation',
})
export type SignedGuardianAttestation = z.infer<typeof signedGuardianAttestationSchema>

export const guardianAttestSchema = z
  .union([
    z.strictObject({ request: signedGuardianRequestSchema }),
    z.strictObject({ attestation: signedGuardianAttestationSchema }),
  ])
  .meta({ id: 'GuardianAttest', description: 'A request by its owner, or an attestation by one of its guardians' })

export const guardianStatusSchema = z
  .strictObject({
    requestId: hashSchema,
    state: z.enum(['pending', 'met', 'expired']),
    threshold: z.int(),
    attested: z.int(),
    request: signedGuardianRequestSchema,
    attestations: z.array(
      z.strictObject({
        attestation: signedGuardianAttestationSchema,
        publicKeyB64u: publicKeySchema.meta({ description: 'The guardian’s root key when it attested' }),
        attestedAt: z.int(),
      }),
    ),
  })
  .meta({ id: 'GuardianStatus', description: 'Everything that was signed, so that whoever relies on it checks it' })
export type GuardianStatus = z.infer<typeof guardianStatusSchema>

/** Names a request. Its nonce has at least 96 bits: whoever knows the id was told it. */
export function guardianRequestId(request: GuardianRequest): string {
  return statementHash(request)
}

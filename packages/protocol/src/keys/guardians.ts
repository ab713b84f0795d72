/**
 * Guardian attestations (workers/docs/pages/developer/guardians.md): an identity names guardians and a threshold, and each
 * guardian signs an attestation of one subject. The requester decides what a met threshold means; nothing here acts on
 * it.
 *
 * @module
 */
import * as z from 'zod'
import { hashSchema } from '../base/hash.ts'
import { didSchema, publicKeySchema, scopeSchema } from '../base/identity.ts'
import { pure } from '../base/pure.ts'
import { ownedStatementSchema, signedSchema, statementHash, statementNonceSchema } from '../base/statement.ts'

/** A signature and its key are 7 kB, so a response with sixteen attestations is 112 kB. */
export const MAX_GUARDIANS = 16
export const MAX_GUARDIAN_DAYS = 30
/** Open requests per identity. */
export const MAX_OPEN_REQUESTS = 20

export const guardianRequestSchema = /* @__PURE__ */ pure(() =>
  ownedStatementSchema('svc/guardian-request/v1', {
    did: didSchema,
    scope: scopeSchema,
    subjectHash: hashSchema.meta({ description: 'The subject: SHA3-384 of what the guardians are asked to attest' }),
    guardians: z.array(didSchema).min(1).max(MAX_GUARDIANS),
    threshold: z.int().min(1).max(MAX_GUARDIANS),
    expiresAt: z
      .int()
      .min(0)
      .meta({ description: 'When the request stops accepting attestations, epoch ms; at most 30 days ahead' }),
    nonce: statementNonceSchema,
  }).meta({ id: 'GuardianRequest', description: 'The root key asks guardians to attest a subject' }),
)
export const signedGuardianRequestSchema = /* @__PURE__ */ pure(() =>
  signedSchema(guardianRequestSchema).meta({ id: 'SignedGuardianRequest' }),
)
export type SignedGuardianRequest = z.infer<typeof signedGuardianRequestSchema>
export type GuardianRequest = SignedGuardianRequest['statement']

export const guardianAttestationSchema = /* @__PURE__ */ pure(() =>
  ownedStatementSchema('svc/guardian-attestation/v1', {
    requestId: hashSchema.meta({ description: 'SHA3-384 over JCS of the request' }),
    did: didSchema.meta({ description: 'The requester' }),
    subjectHash: hashSchema,
    guardianDid: didSchema,
  }).meta({ id: 'GuardianAttestation', description: 'A guardian attests a subject; signed by its root key' }),
)
export const signedGuardianAttestationSchema = /* @__PURE__ */ pure(() =>
  signedSchema(guardianAttestationSchema).meta({
    id: 'SignedGuardianAttestation',
  }),
)
export type SignedGuardianAttestation = z.infer<typeof signedGuardianAttestationSchema>

export const guardianAttestSchema = /* @__PURE__ */ pure(() =>
  z
    .union([
      z.strictObject({ request: signedGuardianRequestSchema }),
      z.strictObject({ attestation: signedGuardianAttestationSchema }),
    ])
    .meta({
      id: 'GuardianAttest',
      description: 'A request from its owner or an attestation from one of its guardians',
    }),
)

export const guardianStatusSchema = /* @__PURE__ */ pure(() =>
  z
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
    .meta({
      id: 'GuardianStatus',
      description: 'Includes every signed statement, so that relying parties can verify it',
    }),
)
export type GuardianStatus = z.infer<typeof guardianStatusSchema>

/** The id of a request. Its nonce has at least 96 bits, so the id cannot be guessed and acts as a capability. */
export function guardianRequestId(request: GuardianRequest): string {
  return statementHash(request)
}

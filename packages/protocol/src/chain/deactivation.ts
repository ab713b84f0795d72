/**
 * Deactivation: the root key ends its identity. While a device has standing it waits one window and is decided like a
 * version-2 rotation (workers/docs/pages/developer/rotation.md); otherwise it takes effect at once. An identity with a
 * commitment ends by root key and successor only, after a window.
 *
 * @module
 */
import * as z from 'zod'
import { hashSchema } from '../base/hash.ts'
import { didSchema, publicKeySchema, scopeSchema, signatureSchema } from '../base/identity.ts'
import { pure } from '../base/pure.ts'
import { ownedStatementSchema, signedSchema, statementHash } from '../base/statement.ts'

/** How far `issuedAt` may be from core's clock, so that no deactivation lies around. */
export const DEACTIVATION_TOLERANCE_MS = 300_000

export const deactivationSchema = /* @__PURE__ */ pure(() =>
  ownedStatementSchema('svc/did-deactivate/v1', {
    did: didSchema,
    scope: scopeSchema,
    epoch: z.int().min(0).meta({ description: 'The current epoch: a deactivation ends with the key that signed it' }),
  }).meta({
    id: 'Deactivation',
    description: 'The root key deactivates its identity',
  }),
)
export type Deactivation = z.infer<typeof deactivationSchema>
export const signedDeactivationSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      ...signedSchema(deactivationSchema).shape,
      successorPublicKeyB64u: publicKeySchema
        .optional()
        .meta({ description: 'A key that the identity has committed to; required where there is a commitment' }),
      successorSignatureB64u: signatureSchema.optional().meta({ description: 'Its signature over the same bytes' }),
    })
    .refine(
      (signed) => (signed.successorPublicKeyB64u === undefined) === (signed.successorSignatureB64u === undefined),
      {
        path: ['successorSignatureB64u'],
        message: 'key and signature go together',
      },
    )
    .meta({ id: 'SignedDeactivation' }),
)
export type SignedDeactivation = z.infer<typeof signedDeactivationSchema>

/** By which vetoes and co-signatures name a deactivation: SHA3-384 hex over its JCS. */
export function deactivationIdOf(statement: Deactivation): string {
  return statementHash(statement)
}

export const deactivatedSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      did: didSchema,
      status: z.enum(['deactivated', 'pending']),
      deactivatedAt: z.number().nullable().meta({ description: 'Epoch ms; null while it waits' }),
      rotationId: hashSchema
        .nullable()
        .meta({ description: 'The hash of the statement, while it waits: name it in vetoes and co-signatures' }),
      deadline: z.number().nullable().meta({ description: 'When it takes effect if nobody stops it, epoch ms' }),
    })
    .meta({ id: 'Deactivated' }),
)
export type Deactivated = z.infer<typeof deactivatedSchema>

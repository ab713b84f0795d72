/** The wire of core's internal routes (document 1 section 4.11): what sibling Workers ask and what they get. */
import * as z from 'zod'
import { didSchema, publicKeySchema, scopeSchema, userIdSchema } from './identity.ts'
import { signedKeyAgreementSchema } from './key-agreement.ts'

/** The standing of a signing key that is current. A superseded one is 409 `key_superseded`, an unknown one 404. */
export const keyScopeSchema = z
  .strictObject({
    userId: userIdSchema,
    did: didSchema,
    scope: scopeSchema,
    epoch: z.int().min(0),
    publicKeyB64u: publicKeySchema,
  })
  .meta({ id: 'KeyScope', description: 'A current signing key and the permanent scope it speaks for' })
export type KeyScope = z.infer<typeof keyScopeSchema>

const previousKeySchema = z
  .strictObject({
    epoch: z.int().min(0),
    userId: userIdSchema,
    publicKeyB64u: publicKeySchema,
    activatedAt: z.number(),
    supersededAt: z.number(),
  })
  .meta({ id: 'PreviousKey' })

/** Everything that the resolver needs to know of an identity, from its own object. */
export const authoritySchema = z
  .strictObject({
    did: didSchema,
    scope: scopeSchema,
    epoch: z.int().min(0),
    publicKeyB64u: publicKeySchema,
    createdAt: z.number(),
    updatedAt: z.number().meta({ description: 'When key or key agreement last changed, epoch ms' }),
    keyAgreement: signedKeyAgreementSchema.nullable(),
    deactivated: z.boolean(),
    previousKeys: z.array(previousKeySchema).meta({ description: 'Superseded root keys, the newest 16, descending' }),
  })
  .meta({ id: 'Authority', description: 'Current key authority of an identity' })
export type Authority = z.infer<typeof authoritySchema>

/** `primary` bypasses the cache: a revocation is then effective at once. */
export const deviceQuerySchema = z.strictObject({ consistency: z.enum(['primary']).optional() })

export const consumeNonceSchema = z
  .strictObject({
    subject: z
      .string()
      .regex(/^(?:dev:[A-Za-z0-9._~-]{1,128}|attest:[0-9a-f]{96})$/, 'must be dev:{deviceId} or attest:{scope}'),
    did: didSchema.meta({ description: 'The identity whose object keeps the nonce' }),
    nonce: z.string().regex(/^[!-~]{1,256}$/, 'must be 1 to 256 visible ASCII characters'),
    keepUntil: z.int().meta({ description: 'Expiry plus skew of what carries the nonce, epoch ms' }),
  })
  .meta({ id: 'ConsumeNonce' })
export type ConsumeNonce = z.infer<typeof consumeNonceSchema>

export const consumedSchema = z.strictObject({ consumed: z.literal(true) }).meta({ id: 'NonceConsumed' })
export const storedSchema = z.strictObject({ stored: z.literal(true) }).meta({ id: 'Stored' })
export const internalHealthSchema = z
  .strictObject({ service: z.enum(['core', 'pay']), version: z.string() })
  .meta({ id: 'InternalHealth' })

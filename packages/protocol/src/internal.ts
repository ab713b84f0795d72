/** The wire of core's internal routes (document 1 section 4.11): what sibling Workers ask and what they get. */
import * as z from 'zod'
import { didSchema, publicKeySchema, scopeSchema, userIdSchema } from './identity.ts'
import { inceptOrgSchema, rotateOfficersSchema } from './inception.ts'
import { signedKeyAgreementSchema } from './key-agreement.ts'
import { officersSchema, quorumSchema } from './officers.ts'
import { standingRegistrationSchema } from './registration.ts'

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
    registration: standingRegistrationSchema
      .nullable()
      .meta({ description: 'Of its DID for resolution, if there is one' }),
    previousKeys: z.array(previousKeySchema).meta({ description: 'Superseded root keys, the newest 16, descending' }),
  })
  .meta({ id: 'Authority', description: 'Current key authority of an identity' })
export type Authority = z.infer<typeof authoritySchema>

const timeQuery = z
  .string()
  .regex(/^[0-9]{1,15}$/, 'must be epoch milliseconds')
  .transform(Number)
const numberQuery = z
  .string()
  .regex(/^(?:0|[1-9][0-9]{0,8})$/, 'must be an integer')
  .transform(Number)

/** Which root key of an identity: of an epoch, or the one that was in force at a time. */
export const rootKeyQuerySchema = z
  .strictObject({ epoch: numberQuery.optional(), at: timeQuery.optional() })
  .refine(({ epoch, at }) => (epoch === undefined) !== (at === undefined), 'needs one of epoch and at')
export const rootKeyVersionSchema = z
  .strictObject({
    did: didSchema,
    scope: scopeSchema,
    epoch: z.int().min(0),
    publicKeyB64u: publicKeySchema,
    activatedAt: z.number(),
    supersededAt: z.number().nullable().meta({ description: 'When the next root key took over' }),
    deactivatedAt: z.number().nullable().meta({ description: 'When the identity was ended' }),
  })
  .meta({ id: 'RootKeyVersion', description: 'One root key of an identity and the time in which it was in force' })
export type RootKeyVersion = z.infer<typeof rootKeyVersionSchema>

/** Which roster of an organization: the current one, that of a time, or that of a version. */
export const officersQuerySchema = z
  .strictObject({
    at: timeQuery.optional(),
    version: numberQuery.optional(),
    evidence: z.literal('event').optional(),
  })
  .refine(({ at, version }) => at === undefined || version === undefined, 'takes one of at and version')
export const officersRecordSchema = z
  .strictObject({
    did: didSchema,
    scope: scopeSchema,
    version: z.int().min(1),
    officers: officersSchema,
    quorum: quorumSchema,
    since: z.number().meta({ description: 'When the event was accepted' }),
    until: z.number().nullable().meta({ description: 'When the next roster was accepted' }),
    deactivatedAt: z.number().nullable(),
    rootEpoch: z.int().min(0).meta({ description: 'Of the root key that is current now' }),
    held: z.boolean().meta({ description: 'Whether the organization is under a security hold now' }),
    event: z.union([inceptOrgSchema, rotateOfficersSchema]).nullable().meta({ description: 'Where it was asked for' }),
  })
  .meta({ id: 'OfficersRecord', description: 'A roster of officers, from the verified inception log' })
export type OfficersRecord = z.infer<typeof officersRecordSchema>

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
export const internalHealthSchema = z
  .strictObject({ service: z.enum(['core', 'pay']), version: z.string() })
  .meta({ id: 'InternalHealth' })

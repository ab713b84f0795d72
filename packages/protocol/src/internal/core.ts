/** Requests and responses of core's internal routes (workers/docs/pages/developer/internal.md). */
import * as z from 'zod'
import { capabilitiesSchema, deviceIdSchema, deviceOriginSchema } from '../base/device.ts'
import { hashSchema } from '../base/hash.ts'
import { didSchema, publicKeySchema, scopeSchema, userIdSchema } from '../base/identity.ts'
import { signedKeyAgreementSchema } from '../base/key-agreement.ts'
import { pure } from '../base/pure.ts'
import { inceptOrgSchema, rotateOfficersSchema } from '../devices/inception.ts'
import { officersSchema, quorumSchema } from '../devices/officers.ts'
import { standingRegistrationSchema } from '../did/registration.ts'
import type { OpenHead } from '../merkle/beacon.ts'

/** A current signing key. A superseded key returns 409 `key_superseded`, an unknown one 404. */
export const keyScopeSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      userId: userIdSchema,
      did: didSchema,
      scope: scopeSchema,
      epoch: z.int().min(0),
      publicKeyB64u: publicKeySchema,
    })
    .meta({ id: 'KeyScope', description: 'A current signing key and the permanent scope it belongs to' }),
)
export type KeyScope = z.infer<typeof keyScopeSchema>

const previousKeySchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      epoch: z.int().min(0),
      userId: userIdSchema,
      publicKeyB64u: publicKeySchema,
      activatedAt: z.number(),
      supersededAt: z.number(),
    })
    .meta({ id: 'PreviousKey' }),
)

/** Everything the DID resolver needs about an identity, read from the identity's object. */
export const authoritySchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      did: didSchema,
      scope: scopeSchema,
      epoch: z.int().min(0),
      publicKeyB64u: publicKeySchema,
      createdAt: z.number(),
      updatedAt: z.number().meta({ description: 'When the key or key agreement last changed, epoch ms' }),
      keyAgreement: signedKeyAgreementSchema.nullable(),
      deactivated: z.boolean(),
      registration: standingRegistrationSchema
        .nullable()
        .meta({ description: 'Registration of the DID for resolution, if any' }),
      previousKeys: z
        .array(previousKeySchema)
        .meta({ description: 'The 16 newest superseded root keys, newest first' }),
    })
    .meta({ id: 'Authority', description: 'Current key authority of an identity' }),
)
export type Authority = z.infer<typeof authoritySchema>

const timeQuery = /* @__PURE__ */ pure(() =>
  z
    .string()
    .regex(/^[0-9]{1,15}$/, 'must be epoch milliseconds')
    .transform(Number),
)
const numberQuery = /* @__PURE__ */ pure(() =>
  z
    .string()
    .regex(/^(?:0|[1-9][0-9]{0,8})$/, 'must be an integer')
    .transform(Number),
)

/** Selects a root key of an identity: by epoch, or the one in force at a time. */
export const rootKeyQuerySchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ epoch: numberQuery.optional(), at: timeQuery.optional() })
    .refine(({ epoch, at }) => (epoch === undefined) !== (at === undefined), 'must have exactly one of epoch and at'),
)
export const rootKeyVersionSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      did: didSchema,
      scope: scopeSchema,
      epoch: z.int().min(0),
      publicKeyB64u: publicKeySchema,
      activatedAt: z.number(),
      supersededAt: z.number().nullable().meta({ description: 'When the next root key replaced it' }),
      deactivatedAt: z.number().nullable().meta({ description: 'When the identity was deactivated' }),
    })
    .meta({ id: 'RootKeyVersion', description: 'One root key of an identity and the period in which it was in force' }),
)
export type RootKeyVersion = z.infer<typeof rootKeyVersionSchema>

/** Selects a roster of an organization: by time, by version, or the current one. */
export const officersQuerySchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      at: timeQuery.optional(),
      version: numberQuery.optional(),
      evidence: z.literal('event').optional(),
    })
    .refine(({ at, version }) => at === undefined || version === undefined, 'must have at most one of at and version'),
)
export const officersRecordSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      did: didSchema,
      scope: scopeSchema,
      version: z.int().min(1),
      officers: officersSchema,
      quorum: quorumSchema,
      since: z.number().meta({ description: 'When the event was accepted' }),
      until: z.number().nullable().meta({ description: 'When the next roster was accepted' }),
      deactivatedAt: z.number().nullable(),
      rootEpoch: z.int().min(0).meta({ description: 'Epoch of the current root key' }),
      held: z.boolean().meta({ description: 'Whether the organization is currently under a security hold' }),
      event: z
        .union([inceptOrgSchema, rotateOfficersSchema])
        .nullable()
        .meta({ description: 'The event that established the roster, if requested' }),
    })
    .meta({ id: 'OfficersRecord', description: 'A roster of officers, from the verified inception log' }),
)
export type OfficersRecord = z.infer<typeof officersRecordSchema>

/** Selects an event of an inception log as statements name it; sequence 0 is the genesis block. */
export const inceptionEventQuerySchema = /* @__PURE__ */ pure(() =>
  z.strictObject({
    sequence: z
      .string()
      .regex(/^(?:0|[1-9][0-9]{0,15})$/, 'must be an integer')
      .transform(Number),
    hash: hashSchema,
  }),
)
export const inceptionEventKnownSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      did: didSchema,
      hash: hashSchema,
      known: z.boolean().meta({ description: 'Whether the inception log has the event at that number' }),
    })
    .meta({ id: 'InceptionEventKnown' }),
)

/**
 * `primary` bypasses the cache, so that a revocation takes effect immediately. `did` says whose device it should be: its
 * owner need not be looked up then, and a device of another identity is not found.
 */
export const deviceQuerySchema = /* @__PURE__ */ pure(() =>
  z.strictObject({
    consistency: z.enum(['primary']).optional(),
    did: didSchema.optional(),
  }),
)

export const consumeNonceSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      subject: z
        .string()
        .regex(/^(?:dev:[A-Za-z0-9._~-]{1,128}|attest:[0-9a-f]{96})$/, 'must be dev:{deviceId} or attest:{scope}'),
      did: didSchema.meta({ description: 'The identity whose object stores the nonce' }),
      nonce: z.string().regex(/^[!-~]{1,256}$/, 'must be 1 to 256 visible ASCII characters'),
      keepUntil: z.int().meta({ description: 'Expiry of the credential that carries the nonce, plus skew, epoch ms' }),
    })
    .meta({ id: 'ConsumeNonce' }),
)
export type ConsumeNonce = z.infer<typeof consumeNonceSchema>

/** An assertion whose signature the caller has verified. What it claims of a device is checked by the identity. */
export const spendAssertionSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      userId: userIdSchema.meta({ description: 'The root key that the caller acts under' }),
      device: z
        .strictObject({
          deviceId: deviceIdSchema,
          publicKeyB64u: publicKeySchema.meta({ description: 'The signing key' }),
          scope: scopeSchema,
          origin: deviceOriginSchema,
          rootEpoch: z.int().min(0),
          capabilities: capabilitiesSchema,
        })
        .nullable()
        .meta({ description: 'What a device claims, or null for a root key' }),
      nonce: consumeNonceSchema.shape.nonce,
      keepMs: z
        .int()
        .min(1)
        .meta({ description: 'Until the assertion and its skew are over, by the clock of the caller' }),
    })
    .meta({ id: 'SpendAssertion' }),
)
export type SpendAssertion = z.infer<typeof spendAssertionSchema>

/** Not in the body, in which a core of the release before takes no other member. */
export const spendQuerySchema = /* @__PURE__ */ pure(() =>
  z.strictObject({
    issuedAt: z
      .string()
      .regex(/^\d{1,15}$/, 'must be a time in epoch ms')
      .optional()
      .meta({
        description: 'When the assertion was signed, epoch ms. Without it, a rebuilt identity assumes the earliest',
      }),
  }),
)

export const consumedSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ consumed: z.literal(true) }).meta({ id: 'NonceConsumed' }),
)
export const internalHealthSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ service: z.enum(['core', 'pay']), version: z.string() }).meta({ id: 'InternalHealth' }),
)

/** `CoreInternal` of core, as the key directory calls it, besides the routes. */
export interface CoreInternalApi {
  /** The head of the open log of anchors, for the beacon; null without a key of the log. */
  openAnchorHead(requestId?: string): Promise<OpenHead | null>
}

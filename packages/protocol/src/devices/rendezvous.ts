/**
 * Rendezvous of two devices (workers/docs/pages/developer/pairing.md): pairing and the authorization relay. One device
 * opens an offer and shows an invitation, the other joins with its keys, and the first replies with data sealed to those
 * keys.
 *
 * The service can neither read nor change what it relays: the invitation has a secret that it never gets, and each side
 * proves with it who it is.
 *
 * @module
 */
import * as z from 'zod'
import { base64urlOf, base64urlSchema } from '../base/base64url.ts'
import { deviceIdSchema, signedDeviceAcceptanceSchema } from '../base/device.ts'
import { hashHex, hashSchema } from '../base/hash.ts'
import { didSchema, publicKeySchema, scopeSchema } from '../base/identity.ts'
import { inceptionHeadSchema } from '../base/inception-head.ts'
import { jcsBytes } from '../base/jcs.ts'
import { hybridCiphertextShape } from '../base/key-agreement.ts'
import { pure } from '../base/pure.ts'
import { ownedStatementSchema, signedSchema } from '../base/statement.ts'
import { attestDeviceSchema } from './inception.ts'
import { offerProofSchema, offerTokenSchema } from './offer-keys.ts'

/** Long enough to carry a phone across a room. */
export const OFFER_LIFETIME_MS = 10 * 60_000
/** Wrong tokens before an offer closes. A token has 256 bits, so this limits noise rather than guessing. */
export const MAX_WRONG_TOKENS = 5
/**
 * Between two questions of a side that waits. Everything that one address sends below `/api/pair/` counts together, 20 in
 * 60 seconds: two devices behind it that both ask at this interval send 14, and 6 open, look, join, compare and deliver.
 */
export const POLL_INTERVAL_MS = 10_000
/** Of one side about one offer, from all addresses: three times what the interval comes to. */
export const MAX_QUESTIONS = 20
export const QUESTIONS_WINDOW_MS = 60_000
/** Fits an attestation with an agreement (22 kB), the delivery statement of its sender (5 kB), and 16 KiB of keys. */
export const MAX_SEALED_BYTES = 56 * 1024

/** Crockford's base32 omits I, L, O and U, so a code can be read aloud and typed without ambiguity. */
export const codeSchema = /* @__PURE__ */ pure(() =>
  z
    .string()
    .regex(
      /^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/,
      'must be three groups of four Crockford base32 characters',
    )
    .meta({
      id: 'OfferCode',
      description: 'Three groups of four characters of Crockford’s base32',
      example: '7Q3K-9ZXN-0V4T',
    }),
)

const polling = /* @__PURE__ */ pure(() => ({
  pollIntervalMs: z.int().min(1).meta({
    description: 'How long to wait before you ask again, in milliseconds',
    example: POLL_INTERVAL_MS,
  }),
}))

/** What the offering side derives from the secret of its invitation. */
export const openOfferSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      tokenHash: hashSchema.meta({ description: 'SHA3-384 of the token that both devices derive' }),
      proofB64u: offerProofSchema,
    })
    .meta({ id: 'OpenOffer', description: 'Who offers, proved to the device that has the invitation' }),
)
export type OpenOffer = z.infer<typeof openOfferSchema>

export const offerSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      code: codeSchema,
      token: offerTokenSchema.nullable().meta({
        description: 'For the joining device, if the request had no `tokenHash`; the service stores only its hash',
      }),
      did: didSchema.meta({ description: 'The identity the other device will join' }),
      expiresAt: z.number().meta({ description: 'Epoch ms' }),
      ...polling,
    })
    .meta({ id: 'Offer' }),
)
export type Offer = z.infer<typeof offerSchema>

export const OFFER_STATUSES = ['open', 'joined', 'delivered'] as const
export type OfferStatus = (typeof OFFER_STATUSES)[number]

/** What a device looks at before it accepts anything. */
export const offererSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      did: didSchema,
      rootPublicKeyB64u: publicKeySchema.meta({ description: 'The current root key of the identity' }),
      proofB64u: offerProofSchema.nullable().meta({ description: 'Of the offering side; null if it gave none' }),
      inception: inceptionHeadSchema.meta({
        description: 'Newest event of the identity’s inception log, or its genesis block; the acceptance names it',
      }),
      expiresAt: z.number().meta({ description: 'Epoch ms' }),
    })
    .meta({ id: 'Offerer', description: 'Who opened the offer' }),
)
export type Offerer = z.infer<typeof offererSchema>

/** A device's request to join, signed by its key. Also the DeviceAuthorizationRequest of the relay. */
export const joinRequestSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ acceptance: signedDeviceAcceptanceSchema, proofB64u: offerProofSchema })
    .meta({ id: 'DeviceAuthorizationRequest', description: 'A device asks to join the identity' }),
)
export type JoinRequest = z.infer<typeof joinRequestSchema>

export const offerStateSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      code: codeSchema,
      did: didSchema,
      status: z.enum(OFFER_STATUSES),
      expiresAt: z.number().meta({ description: 'Epoch ms' }),
      request: joinRequestSchema.nullable().meta({ description: 'Request of the joining device; null until it joins' }),
      ...polling,
    })
    .meta({ id: 'OfferState' }),
)
export type OfferState = z.infer<typeof offerStateSchema>

export const joinedSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      did: didSchema,
      status: z.literal('joined'),
      expiresAt: z.number(),
      rootPublicKeyB64u: publicKeySchema.meta({
        description: 'The root key that the device has looked at before it joined',
      }),
      ...polling,
    })
    .meta({ id: 'Joined' }),
)

/** A KEM-DEM envelope that only the joining device can open. */
export const sealedSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      ...hybridCiphertextShape,
      nonceB64u: base64urlOf(12).meta({ description: 'AES-256-GCM nonce' }),
      ciphertextB64u: base64urlSchema(MAX_SEALED_BYTES),
    })
    .meta({ id: 'Sealed', description: 'Opaque to the service' }),
)
export type Sealed = z.infer<typeof sealedSchema>

export const sealRequestSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ code: codeSchema, sealed: sealedSchema }).meta({ id: 'SealRequest' }),
)
export const deliveredSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ code: codeSchema, status: z.literal('delivered'), expiresAt: z.number() }).meta({ id: 'Delivered' }),
)

/**
 * Authenticates the sender. It travels inside the sealed data; otherwise the service, which knows the device's public
 * key, could seal contents of its own.
 */
export const deliverySchema = /* @__PURE__ */ pure(() =>
  ownedStatementSchema('svc/delivery/v1', {
    did: didSchema,
    scope: scopeSchema,
    code: codeSchema,
    deviceId: deviceIdSchema,
    contentsHash: hashSchema.meta({ description: 'SHA3-384 over JCS of {attestation, payloadB64u}' }),
  }).meta({
    id: 'Delivery',
    description: 'The root key sealed these contents for this device. Part of the sealed data',
  }),
)
export const signedDeliverySchema = /* @__PURE__ */ pure(() =>
  signedSchema(deliverySchema).meta({ id: 'SignedDelivery' }),
)

/** The contents of a sealed result after opening. */
export const sealedContentsSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      attestation: attestDeviceSchema,
      payloadB64u: z.string().nullable(),
      delivery: signedDeliverySchema,
    })
    .meta({ id: 'SealedContents' }),
)
export type SealedContents = z.infer<typeof sealedContentsSchema>

/** Hash of the contents for the delivery statement. */
export function contentsHash({
  attestation,
  payloadB64u,
}: Pick<SealedContents, 'attestation' | 'payloadB64u'>): string {
  return hashHex(jcsBytes({ attestation, payloadB64u }))
}

/** The attestation in force at core and a key wrapped for the device; never a credential of the root. */
export const deviceGrantSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ attestation: attestDeviceSchema, wrappedKey: sealedSchema }).meta({ id: 'DeviceGrant' }),
)
export type DeviceGrant = z.infer<typeof deviceGrantSchema>
export const grantRequestSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ code: codeSchema, grant: deviceGrantSchema }).meta({ id: 'GrantRequest' }),
)

export const cancelledSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ cancelled: z.literal(true) }).meta({ id: 'OfferCancelled' }),
)

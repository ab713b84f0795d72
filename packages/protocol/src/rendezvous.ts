/**
 * Where two devices meet (document 1 sections 4.8 and 4.9): pairing, and the authorization relay. One opens an offer
 * and shows its code and token, the other joins with its keys, the first answers with something sealed to those keys.
 *
 * The service carries what it cannot read. It could still put another device in the place of the one that joined, so
 * both people compare a code that is derived from the two public keys before anything is attested.
 *
 * @module
 */
import { base32crockford } from '@scure/base'
import * as z from 'zod'
import { base64urlOf, base64urlSchema } from './base64url.ts'
import { deviceIdSchema, signedDeviceAcceptanceSchema } from './device.ts'
import { fromHex, hashHex, hashSchema } from './hash.ts'
import { didSchema, publicKeySchema, scopeSchema } from './identity.ts'
import { attestDeviceSchema } from './inception.ts'
import { jcsBytes } from './jcs.ts'
import { KEM_CIPHERTEXT_BYTES } from './labels.ts'
import { signedSchema, statementSchema } from './statement.ts'

/** Long enough to cross a room with a phone. */
export const OFFER_LIFETIME_MS = 10 * 60_000
/** Wrong tokens before an offer is closed. A token has 256 bits: this stops noise, not a search. */
export const MAX_WRONG_TOKENS = 5
/** What a sealed result may hold: an attestation (16 kB), who sealed it (5 kB), and a few keys. */
export const MAX_SEALED_BYTES = 48 * 1024

/** Crockford's base32 leaves out I, L, O and U, so a code survives being read aloud and typed. */
export const codeSchema = z
  .string()
  .regex(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/, 'must be an offer code')
  .meta({
    id: 'OfferCode',
    description: 'Three groups of four characters of Crockford’s base32',
    example: '7Q3K-9ZXN-0V4T',
  })

/** Bytes as text that a person can read out: five bits a character, none of them like another. */
export function crockford(bytes: Uint8Array): string {
  return base32crockford.encode(bytes)
}
export const offerTokenSchema = base64urlOf(32)

export const offerSchema = z
  .strictObject({
    code: codeSchema,
    token: offerTokenSchema.meta({ description: 'For the joining device; the service keeps its hash alone' }),
    did: didSchema.meta({ description: 'The identity that the other device will join' }),
    expiresAt: z.number().meta({ description: 'Epoch ms' }),
  })
  .meta({ id: 'Offer' })
export type Offer = z.infer<typeof offerSchema>

export const OFFER_STATUSES = ['open', 'joined', 'delivered'] as const
export type OfferStatus = (typeof OFFER_STATUSES)[number]

/** Also the DeviceAuthorizationRequest of the relay: what a device asks for, signed by its key. */
export const joinRequestSchema = z
  .strictObject({ acceptance: signedDeviceAcceptanceSchema })
  .meta({ id: 'DeviceAuthorizationRequest', description: 'A device asks to be taken in' })
export type JoinRequest = z.infer<typeof joinRequestSchema>

export const offerStateSchema = z
  .strictObject({
    code: codeSchema,
    did: didSchema,
    status: z.enum(OFFER_STATUSES),
    expiresAt: z.number().meta({ description: 'Epoch ms' }),
    request: joinRequestSchema.nullable().meta({ description: 'What the joining device bound, once it has' }),
  })
  .meta({ id: 'OfferState' })
export type OfferState = z.infer<typeof offerStateSchema>

export const joinedSchema = z
  .strictObject({
    did: didSchema,
    status: z.literal('joined'),
    expiresAt: z.number(),
    rootPublicKeyB64u: publicKeySchema.meta({
      description: 'To be checked against the DID, and for the confirmation code',
    }),
  })
  .meta({ id: 'Joined' })

/** A KEM-DEM envelope that only the joining device opens. */
export const sealedSchema = z
  .strictObject({
    kemCiphertextB64u: base64urlOf(KEM_CIPHERTEXT_BYTES).meta({ description: 'ML-KEM-768 to the device’s key' }),
    nonceB64u: base64urlOf(12).meta({ description: 'AES-256-GCM nonce' }),
    ciphertextB64u: base64urlSchema(MAX_SEALED_BYTES),
  })
  .meta({ id: 'Sealed', description: 'Opaque to the service' })
export type Sealed = z.infer<typeof sealedSchema>

export const sealRequestSchema = z.strictObject({ code: codeSchema, sealed: sealedSchema }).meta({ id: 'SealRequest' })
export const deliveredSchema = z
  .strictObject({ code: codeSchema, status: z.literal('delivered'), expiresAt: z.number() })
  .meta({ id: 'Delivered' })

/**
 * Who sealed: it travels inside what is sealed, so that the service cannot put contents of its own under the device's
 * public key, which it knows.
 */
export const deliverySchema = statementSchema('svc/delivery/v1', {
  did: didSchema,
  scope: scopeSchema,
  code: codeSchema,
  deviceId: deviceIdSchema,
  contentsHash: hashSchema.meta({ description: 'SHA3-384 over JCS of {attestation, payloadB64u}' }),
}).meta({
  id: 'Delivery',
  description: 'The root key has sealed these contents for this device; inside what is sealed',
})
export const signedDeliverySchema = signedSchema(deliverySchema).meta({ id: 'SignedDelivery' })

/** What a sealed result holds once it is opened. */
export const sealedContentsSchema = z
  .strictObject({
    attestation: attestDeviceSchema,
    payloadB64u: z.string().nullable(),
    delivery: signedDeliverySchema,
  })
  .meta({ id: 'SealedContents' })
export type SealedContents = z.infer<typeof sealedContentsSchema>

/** Names contents for the delivery statement. */
export function contentsHash({
  attestation,
  payloadB64u,
}: Pick<SealedContents, 'attestation' | 'payloadB64u'>): string {
  return hashHex(jcsBytes({ attestation, payloadB64u }))
}

/** The attestation that is in force at core, and a key wrapped for the device; never a session of the root. */
export const deviceGrantSchema = z
  .strictObject({ attestation: attestDeviceSchema, wrappedKey: sealedSchema })
  .meta({ id: 'DeviceGrant' })
export type DeviceGrant = z.infer<typeof deviceGrantSchema>
export const grantRequestSchema = z
  .strictObject({ code: codeSchema, grant: deviceGrantSchema })
  .meta({ id: 'GrantRequest' })

export const cancelledSchema = z.strictObject({ cancelled: z.literal(true) }).meta({ id: 'OfferCancelled' })

/**
 * Twelve characters that both people compare. The root key is fixed by the DID that the offer carries, so a relay that
 * swaps the device's keys has to meet 60 bits while the offer lasts. Half of an ML-KEM key is free, so a trial costs one
 * hash: some 10^18 of them in ten minutes.
 */
export function confirmationCode(keys: {
  readonly rootPublicKeyB64u: string
  readonly devicePublicKeyB64u: string
  readonly kemPublicKeyB64u: string
}): string {
  const { rootPublicKeyB64u, devicePublicKeyB64u, kemPublicKeyB64u } = keys
  const digest = hashHex(
    jcsBytes({ type: 'svc/pairing-confirmation/v1', rootPublicKeyB64u, devicePublicKeyB64u, kemPublicKeyB64u }),
  )
  const text = crockford(fromHex(digest))
  return `${text.slice(0, 4)}-${text.slice(4, 8)}-${text.slice(8, 12)}`
}

/**
 * Capsules (document 2 sections 1 and 4.1): what a device says of a file that it made, signed by the root key of an
 * identity or by an attested device of it. The file itself never leaves the device; its hash names the asset.
 *
 * @module
 */
import * as z from 'zod'
import { assetCoreSchema, assetIdSchema } from './assets.ts'
import { chainBlockV4Schema, chainHeadSchema } from './chain.ts'
import { deviceIdSchema } from './device.ts'
import { hashHex, hashSchema } from './hash.ts'
import { didSchema, publicKeySchema, scopeSchema, signatureSchema, userIdSchema } from './identity.ts'
import { SIGNATURE_ALG } from './labels.ts'
import { keyStatusSchema } from './signature-check.ts'
import { statementHash, statementSchema } from './statement.ts'
import { capsuleVectorsSchema } from './vector-search.ts'

export const CAPSULE_KINDS = ['image', 'video'] as const
export type CapsuleKind = (typeof CAPSULE_KINDS)[number]

/** A pixel more than any sensor has, and a month of video. */
const MAX_SIDE = 1_000_000
const MAX_DURATION_MS = 31 * 86_400_000

const { mime, bytes } = assetCoreSchema.shape.media.shape
const claimed = 'The signer’s claim; nobody has checked it'

export const capsuleSchema = statementSchema('svc/capsule/v1', {
  did: didSchema.meta({ description: 'The identity that the capsule speaks for' }),
  kind: z.enum(CAPSULE_KINDS),
  assetId: assetIdSchema.meta({ description: 'asset:sha3-384: and SHA3-384 of the bytes of the file' }),
  media: z.strictObject({
    mime,
    bytes,
    width: z.int().min(1).max(MAX_SIDE).optional(),
    height: z.int().min(1).max(MAX_SIDE).optional(),
    durationMs: z.int().min(0).max(MAX_DURATION_MS).optional(),
  }),
  perceptual: assetCoreSchema.shape.perceptual,
  keypointsHash: hashSchema
    .optional()
    .meta({ description: 'SHA3-384 of the keypoint blob, under which it is fetched' }),
  metadataHash: hashSchema.optional().meta({ description: 'A commitment to metadata that its owner keeps' }),
  capturedAt: z
    .int()
    .min(0)
    .optional()
    .meta({ description: `When it was made, epoch ms. ${claimed}` }),
}).meta({ id: 'Capsule', description: 'What a device says of a file; signed by a root key or an attested device' })
export type Capsule = z.infer<typeof capsuleSchema>

export const CAPSULE_CONTENT_TYPE = 'application/vnd.svc.capsule+json'

/** SHA3-384 over the JCS bytes of the capsule, which are what is signed: it names the capsule. */
export function capsuleHash(capsule: Capsule): string {
  return statementHash(capsule)
}

/** The asset id of a file. */
export function assetIdOf(file: Uint8Array): string {
  return `asset:sha3-384:${hashHex(file)}`
}

export const capsuleSignatureSchema = z
  .strictObject({
    algorithm: z.literal(SIGNATURE_ALG),
    publicKeyB64u: publicKeySchema.meta({ description: 'The root key of the identity, or one of its devices' }),
    signatureB64u: signatureSchema,
  })
  .meta({ id: 'CapsuleSignature', description: 'Pure ML-DSA-65, empty context, over the JCS bytes of the capsule' })
export type CapsuleSignature = z.infer<typeof capsuleSignatureSchema>

export const registerCapsuleSchema = z
  .strictObject({
    capsule: capsuleSchema,
    signature: capsuleSignatureSchema,
    block: chainBlockV4Schema.optional().meta({
      description:
        'Where CHAIN_BINDING is on: a block on the head of the owner’s chain, signed by the current root key, with ' +
        `contentType ${CAPSULE_CONTENT_TYPE} and the capsule’s hash as dataHash`,
    }),
    vectors: capsuleVectorsSchema.optional(),
  })
  .meta({ id: 'RegisterCapsule' })
export type RegisterCapsule = z.infer<typeof registerCapsuleSchema>

/** Whose key signed, as core said at registration. */
export const capsuleSignerSchema = z
  .strictObject({
    kind: z.enum(['root', 'device']),
    scope: scopeSchema,
    userId: userIdSchema.meta({ description: 'The userId of the root key that was current' }),
    epoch: z.int().min(0).meta({ description: 'The root epoch that was current' }),
    deviceId: deviceIdSchema.nullable(),
  })
  .meta({ id: 'CapsuleSigner', description: 'Whose key signed, as core’s authority said at registration' })
export type CapsuleSigner = z.infer<typeof capsuleSignerSchema>

export const chainBindingSchema = z
  .strictObject({ ...chainHeadSchema.shape, acceptedAt: z.int() })
  .meta({ id: 'ChainBinding', description: 'The block of the owner’s chain that carries the capsule’s hash' })
export type ChainBinding = z.infer<typeof chainBindingSchema>

const registration = {
  assetId: assetIdSchema,
  did: didSchema,
  kind: z.enum(CAPSULE_KINDS),
  capsuleHash: hashSchema.meta({ description: 'SHA3-384 over the JCS bytes of the capsule' }),
  position: z.int().min(1).meta({ description: 'The order in which this service completed registrations' }),
  registeredAt: z.int().meta({ description: 'When this service completed it, epoch ms; its word' }),
}
export const registeredCapsuleSchema = z
  .strictObject({
    ...registration,
    duplicate: z.boolean().meta({ description: 'Whether it was registered before; then it has cost nothing' }),
    chain: chainBindingSchema.nullable(),
  })
  .meta({ id: 'RegisteredCapsule' })
export type RegisteredCapsule = z.infer<typeof registeredCapsuleSchema>

/** More than this many claims on one asset are counted and not listed. */
export const MAX_LISTED_CLAIMS = 32
const claimSchema = z
  .strictObject({
    did: didSchema,
    capsuleHash: hashSchema,
    position: registration.position,
    registeredAt: registration.registeredAt,
  })
  .meta({ id: 'CapsuleClaim', description: 'One identity’s registration of an asset' })

export const capsuleRecordSchema = z
  .strictObject({
    ...registration,
    capsule: capsuleSchema,
    signature: capsuleSignatureSchema,
    signer: capsuleSignerSchema,
    chain: chainBindingSchema.nullable(),
    claims: z
      .array(claimSchema)
      .max(MAX_LISTED_CLAIMS)
      .meta({ description: `Who has registered this asset, in order; the first ${MAX_LISTED_CLAIMS}` }),
    claimCount: z.int().min(1),
  })
  .meta({ id: 'CapsuleRecord', description: 'A registered capsule; the earliest of its asset unless a DID is named' })
export type CapsuleRecord = z.infer<typeof capsuleRecordSchema>

export const capsuleQuerySchema = z.strictObject({
  did: didSchema.optional().meta({ description: 'Whose registration; the earliest unless given' }),
})

/** What is asked for by path: an asset, or a text, of which there is no capsule. */
export const provenanceIdSchema = z
  .string()
  .regex(/^(?:asset:sha3-384:[0-9a-f]{96}|text-[0-9a-f]{32})$/, 'must be an asset id or a text id')

export const capsuleVerificationSchema = z
  .strictObject({
    ...registration,
    valid: z.boolean().meta({ description: 'Whether the signature verifies now over the capsule as it is kept' }),
    publicKeyB64u: publicKeySchema,
    signer: capsuleSignerSchema,
    keyStatus: keyStatusSchema.nullable().meta({ description: 'How the key stands now; null while core cannot say' }),
  })
  .meta({ id: 'CapsuleVerification' })
export type CapsuleVerification = z.infer<typeof capsuleVerificationSchema>

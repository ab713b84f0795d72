/**
 * Capsules (workers/docs/pages/developer/provenance.md): a device's claims about a file it created, signed by the root
 * key of an identity or by one of its attested devices. The file itself never leaves the device; its hash is the asset
 * id.
 *
 * @module
 */
import * as z from 'zod'
import { deviceIdSchema } from '../base/device.ts'
import { hashHex, hashSchema } from '../base/hash.ts'
import { didSchema, publicKeySchema, scopeSchema, signatureSchema, userIdSchema } from '../base/identity.ts'
import { SIGNATURE_ALG } from '../base/labels.ts'
import { pure } from '../base/pure.ts'
import { ownedStatementSchema, statementHash } from '../base/statement.ts'
import { chainBlockV4Schema, chainHeadSchema } from '../chain/chain.ts'
import { assetCoreSchema, assetIdSchema, mediaBytesSchema } from '../ledger/assets.ts'
import { keyStatusSchema } from './signature-check.ts'
import { capsuleVectorsSchema } from './vector-search.ts'

export const CAPSULE_KINDS = ['image', 'video'] as const
export type CapsuleKind = (typeof CAPSULE_KINDS)[number]

/**
 * A capsule with the most vectors allowed: 1,516 of them take just under a megabyte. It has room for 62 perceptual hashes
 * of 16,384 characters beside the signature and a block, not for all 64: what a free identity keeps in a year is counted
 * by this limit.
 */
export const MAX_CAPSULE_BYTES = 1_048_576
/** More pixels per side than any sensor has, and a month of video. */
const MAX_SIDE = 1_000_000
const MAX_DURATION_MS = 31 * 86_400_000

const { mime } = assetCoreSchema.shape.media.shape
const claimed = 'Unverified claim of the signer'

export const capsuleSchema = /* @__PURE__ */ pure(() =>
  ownedStatementSchema('svc/capsule/v1', {
    did: didSchema.meta({ description: 'The identity the capsule belongs to' }),
    kind: z.enum(CAPSULE_KINDS),
    assetId: assetIdSchema.meta({ description: 'asset:sha3-384: and SHA3-384 of the bytes of the file' }),
    media: z.strictObject({
      mime,
      bytes: mediaBytesSchema,
      width: z.int().min(1).max(MAX_SIDE).optional(),
      height: z.int().min(1).max(MAX_SIDE).optional(),
      durationMs: z.int().min(0).max(MAX_DURATION_MS).optional(),
    }),
    perceptual: assetCoreSchema.shape.perceptual,
    keypointsHash: hashSchema.optional().meta({ description: 'SHA3-384 of the keypoint blob; fetch the blob by it' }),
    metadataHash: hashSchema.optional().meta({ description: 'A commitment to metadata kept by the owner' }),
    capturedAt: z
      .int()
      .min(0)
      .optional()
      .meta({ description: `When the file was created, epoch ms. ${claimed}` }),
  }).meta({ id: 'Capsule', description: 'Claims about a file, signed by a root key or an attested device' }),
)
export type Capsule = z.infer<typeof capsuleSchema>

export const CAPSULE_CONTENT_TYPE = 'application/vnd.svc.capsule+json'

/** The capsule's id: SHA3-384 over its JCS bytes, which are also the signed bytes. */
export function capsuleHash(capsule: Capsule): string {
  return statementHash(capsule)
}

/** The asset id of a file. */
export function assetIdOf(file: Uint8Array): string {
  return `asset:sha3-384:${hashHex(file)}`
}

export const capsuleSignatureSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      algorithm: z.literal(SIGNATURE_ALG),
      publicKeyB64u: publicKeySchema.meta({
        description: 'The root key of the identity or the key of one of its devices',
      }),
      signatureB64u: signatureSchema,
    })
    .meta({ id: 'CapsuleSignature', description: 'Pure ML-DSA-65, empty context, over the JCS bytes of the capsule' }),
)
export type CapsuleSignature = z.infer<typeof capsuleSignatureSchema>

export const registerCapsuleSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      capsule: capsuleSchema,
      signature: capsuleSignatureSchema,
      block: chainBlockV4Schema.optional().meta({
        description:
          'Unless CHAIN_BINDING is off: a block on the head of the owner’s chain, signed by the current root key, with ' +
          `contentType ${CAPSULE_CONTENT_TYPE} and the capsule’s hash as dataHash`,
      }),
      vectors: capsuleVectorsSchema.optional(),
    })
    .meta({ id: 'RegisterCapsule' }),
)
export type RegisterCapsule = z.infer<typeof registerCapsuleSchema>

/** Owner of the signing key, as reported by core at registration. */
export const capsuleSignerSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      kind: z.enum(['root', 'device']),
      scope: scopeSchema,
      userId: userIdSchema.meta({ description: 'The userId of the then-current root key' }),
      epoch: z.int().min(0).meta({ description: 'The then-current root epoch' }),
      deviceId: deviceIdSchema.nullable(),
    })
    .meta({ id: 'CapsuleSigner', description: 'Owner of the signing key, as reported by core at registration' }),
)
export type CapsuleSigner = z.infer<typeof capsuleSignerSchema>

export const chainBindingSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ ...chainHeadSchema.shape, acceptedAt: z.int() })
    .meta({ id: 'ChainBinding', description: 'The block of the owner’s chain that contains the capsule’s hash' }),
)
export type ChainBinding = z.infer<typeof chainBindingSchema>

const registration = /* @__PURE__ */ pure(() => ({
  assetId: assetIdSchema,
  did: didSchema,
  kind: z.enum(CAPSULE_KINDS),
  capsuleHash: hashSchema.meta({ description: 'SHA3-384 over the JCS bytes of the capsule' }),
  position: z
    .int()
    .min(1)
    .meta({ description: 'Which registration of this asset it is, from 1, as they were completed' }),
  registeredAt: z
    .int()
    .meta({ description: 'When the service completed the registration, epoch ms; asserted by the service' }),
}))
export const registeredCapsuleSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      ...registration,
      duplicate: z.boolean().meta({ description: 'Whether it was already registered; a duplicate is not charged' }),
      chain: chainBindingSchema.nullable(),
    })
    .meta({ id: 'RegisteredCapsule' }),
)
export type RegisteredCapsule = z.infer<typeof registeredCapsuleSchema>

/** Claims on an asset beyond this number are counted but not listed. */
export const MAX_LISTED_CLAIMS = 32
const claimSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      did: didSchema,
      capsuleHash: hashSchema,
      position: registration.position,
      registeredAt: registration.registeredAt,
    })
    .meta({ id: 'CapsuleClaim', description: 'One identity’s registration of an asset' }),
)

export const capsuleRecordSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      ...registration,
      capsule: capsuleSchema,
      signature: capsuleSignatureSchema,
      signer: capsuleSignerSchema,
      chain: chainBindingSchema.nullable(),
      claims: z
        .array(claimSchema)
        .max(MAX_LISTED_CLAIMS)
        .meta({ description: `The first ${MAX_LISTED_CLAIMS} registrations of this asset, in order` }),
      claimCount: z.int().min(1),
    })
    .meta({
      id: 'CapsuleRecord',
      description: 'A registered capsule; the earliest for its asset unless a DID is given',
    }),
)
export type CapsuleRecord = z.infer<typeof capsuleRecordSchema>

export const capsuleQuerySchema = /* @__PURE__ */ pure(() =>
  z.strictObject({
    did: didSchema.optional().meta({ description: 'Return the registration of this DID. Default: the earliest' }),
  }),
)

/** Path parameter: an asset id or a text id; texts have no capsule. */
export const provenanceIdSchema = /* @__PURE__ */ pure(() =>
  z.string().regex(/^(?:asset:sha3-384:[0-9a-f]{96}|text-[0-9a-f]{32})$/, 'must be an asset id or a text id'),
)

export const capsuleDeletedSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ assetId: provenanceIdSchema, deleted: z.literal(true) }).meta({ id: 'CapsuleDeleted' }),
)

export const capsuleVerificationSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      ...registration,
      valid: z.boolean().meta({ description: 'Whether the signature verifies over the stored capsule' }),
      publicKeyB64u: publicKeySchema,
      signer: capsuleSignerSchema,
      keyStatus: keyStatusSchema
        .nullable()
        .meta({ description: 'Current status of the key; null while core is unavailable' }),
    })
    .meta({ id: 'CapsuleVerification' }),
)
export type CapsuleVerification = z.infer<typeof capsuleVerificationSchema>

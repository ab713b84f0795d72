/** The wire of the key directory (document 2 section 4.4): publishing, resolving, reserving, and what the owner sees. */
import * as z from 'zod'
import { bytesOf } from './base64url.ts'
import { deviceIdSchema } from './device.ts'
import { hashSchema } from './hash.ts'
import { didSchema, publicKeySchema, signatureSchema } from './identity.ts'
import {
  PREKEY_KINDS,
  packageVersionSchema,
  prekeySchema,
  prekeyUploadSchema,
  profileSchema,
  signedDeviceCredentialSchema,
  signedKeyPackageSchema,
  signedPackageRevocationSchema,
  suiteIdSchema,
} from './key-packages.ts'
import { statementSchema, verifyStatement } from './statement.ts'

/** A session needs one prekey; five hundred let a device be away for long. At 1.6 kB each: 0.8 MB. */
export const MAX_POOL = 500
/** Below this a device should publish more. */
export const LOW_STOCK = 20
/** Prekeys of one account that one requester may reserve in 24 hours: more sessions than devices could want. */
export const MAX_REQUESTER_RESERVATIONS = 64
/** Prekeys of one account that all may reserve in 24 hours: rows of 6 kB, 12 MB. */
export const MAX_ACCOUNT_RESERVATIONS = 2_000
/** How long a requester may use what it has reserved, and how long the same key gives the same answer. */
export const RESERVATION_MS = 24 * 3_600_000
/** How long the owner sees who has reserved what. */
export const HISTORY_MS = 90 * 24 * 3_600_000
/** A batch is uploaded soon after it is made: what is older is a copy. */
export const MAX_BATCH_AGE_MS = 30 * 24 * 3_600_000
export const MAX_PAGE_DEVICES = 20
export const MAX_PAGE_RESERVATIONS = 100

const time = (description: string) => z.int().meta({ description: `${description}, epoch ms` })
const kind = { profile: profileSchema, suiteId: suiteIdSchema }

export const publishPackageSchema = z
  .strictObject({
    credential: signedDeviceCredentialSchema,
    keyPackage: signedKeyPackageSchema,
    prekeys: z.array(prekeyUploadSchema).max(2).default([]),
  })
  .meta({ id: 'PublishPackage', description: 'With it, at most one batch of one-time prekeys and a last resort' })
export type PublishPackage = z.infer<typeof publishPackageSchema>
export const addPrekeysSchema = z
  .strictObject({ prekeys: z.array(prekeyUploadSchema).min(1).max(2) })
  .meta({ id: 'AddPrekeys' })

export const devicePackageSchema = z
  .strictObject({
    accountDid: didSchema,
    deviceId: deviceIdSchema,
    ...kind,
    version: packageVersionSchema,
    credential: signedDeviceCredentialSchema,
    keyPackage: signedKeyPackageSchema,
    leafId: hashSchema.meta({ description: 'SHA3-384 over JCS of the credential: names its leaf in the log' }),
    publishedAt: time('When the directory took it'),
  })
  .meta({ id: 'DevicePackage', description: 'What is needed to encrypt to a device, but no one-time prekey' })
export type DevicePackage = z.infer<typeof devicePackageSchema>

export const stockSchema = z
  .strictObject({
    ...kind,
    oneTime: z.int().min(0).meta({ description: 'One-time prekeys that are left' }),
    lastResort: z.boolean(),
    low: z.boolean().meta({ description: `Fewer than ${LOW_STOCK} are left: publish more` }),
  })
  .meta({ id: 'PrekeyStock' })
export type PrekeyStock = z.infer<typeof stockSchema>
export const publishedSchema = z
  .strictObject({ package: devicePackageSchema, stock: z.array(stockSchema) })
  .meta({ id: 'PublishedPackage' })
export const stockAnswerSchema = z.strictObject({ stock: z.array(stockSchema) }).meta({ id: 'PrekeysAdded' })

export const revokedSchema = z
  .strictObject({
    revocation: signedPackageRevocationSchema,
    leafId: hashSchema.meta({ description: 'SHA3-384 over JCS of the revocation: names its leaf in the log' }),
    revokedAt: time('When the directory took it'),
  })
  .meta({ id: 'RevokedPackage' })
export type RevokedPackage = z.infer<typeof revokedSchema>

export const directoryPageSchema = z
  .strictObject({
    accountDid: didSchema,
    devices: z.array(
      z.strictObject({
        deviceId: deviceIdSchema,
        packages: z.array(devicePackageSchema),
        revocation: revokedSchema.nullable().meta({ description: 'The newest, whatever was published after it' }),
      }),
    ),
    cursor: deviceIdSchema.nullable().meta({ description: 'Of the next page; null at the end' }),
  })
  .meta({ id: 'DirectoryPage', description: 'Ascending by deviceId' })
export type DirectoryPage = z.infer<typeof directoryPageSchema>

export const FALLBACK_POLICIES = ['one-time-required', 'last-resort-allowed'] as const
export const reservePrekeySchema = z
  .strictObject({
    ...kind,
    fallbackPolicy: z.enum(FALLBACK_POLICIES).meta({
      description: '`one-time-required`: refused when none is left. `last-resort-allowed`: not with bound-v4',
    }),
  })
  .meta({ id: 'ReservePrekey' })
export type ReservePrekey = z.infer<typeof reservePrekeySchema>

export const reservationIdSchema = z
  .string()
  .regex(/^[A-Za-z0-9_-]{32}$/)
  .meta({ id: 'ReservationId' })
const reservationMembers = {
  reservationId: reservationIdSchema,
  accountDid: didSchema,
  deviceId: deviceIdSchema,
  requesterDid: didSchema,
  ...kind,
  kind: z.enum(PREKEY_KINDS).meta({ description: 'Which kind of prekey it came to' }),
  prekeyId: z.string(),
  expiresAt: time('Until when it may be used'),
}
export const reservationReceiptSchema = statementSchema('svc/prekey-reservation/v1', {
  directory: z.string().meta({ description: 'Origin of the directory' }),
  ...reservationMembers,
  leafId: hashSchema.meta({ description: 'The leaf of the package that the prekey belongs to' }),
}).meta({ id: 'PrekeyReservationStatement' })
export const signedReceiptSchema = z
  .strictObject({ statement: reservationReceiptSchema, signatureB64u: signatureSchema, publicKeyB64u: publicKeySchema })
  .meta({ id: 'PrekeyReservationReceipt', description: 'The directory’s signed word for what it handed out to whom' })
export type ReservationReceipt = z.infer<typeof signedReceiptSchema>

export const reservedPrekeySchema = z
  .strictObject({
    prekey: prekeySchema,
    usedFallback: z.boolean().meta({ description: 'Whether it is the last resort, which others get too' }),
    receipt: signedReceiptSchema,
  })
  .meta({ id: 'ReservedPrekey' })
export type ReservedPrekey = z.infer<typeof reservedPrekeySchema>

export const reservationEntrySchema = z
  .strictObject({ ...reservationMembers, requesterDevice: deviceIdSchema.nullable(), reservedAt: time('When') })
  .meta({ id: 'ReservationEntry' })
export type ReservationEntry = z.infer<typeof reservationEntrySchema>
export const poolSchema = z
  .strictObject({
    stock: z.array(stockSchema),
    reservations: z.array(reservationEntrySchema).meta({ description: 'Newest first: who has drained the pool' }),
    cursor: z.int().nullable().meta({ description: 'Of the next page, older; null at the end' }),
  })
  .meta({ id: 'PrekeyPool', description: 'What the owner sees' })
export type PrekeyPool = z.infer<typeof poolSchema>

/** Whether a receipt is the word of the directory as the caller knows its key. */
export async function verifyReservation(receipt: ReservationReceipt, expectedKeyB64u: string): Promise<boolean> {
  const { publicKeyB64u, ...signed } = receipt
  return publicKeyB64u === expectedKeyB64u && verifyStatement(signed, bytesOf(expectedKeyB64u))
}

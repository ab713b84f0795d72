/** Key directory (workers/docs/pages/developer/keys.md): publishing, resolving, reserving, and the owner's view. */
import * as z from 'zod'
import { bytesOf } from '../base/base64url.ts'
import { deviceIdSchema } from '../base/device.ts'
import { hashSchema } from '../base/hash.ts'
import { didSchema, publicKeySchema, signatureSchema } from '../base/identity.ts'
import { pure } from '../base/pure.ts'
import type { Realms } from '../base/realm.ts'
import { statementSchema, verifyStatement } from '../base/statement.ts'
import { cursorSchema } from '../merkle/cursor.ts'
import { accountLabelSchema, leafIdSchema, seqSchema } from './account-updates.ts'
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
} from './packages.ts'
import { contactPassSchema } from './reserving.ts'

/** A session uses one prekey; 500 let a device stay offline for long. At 1.6 kB each: 0.8 MB. */
export const MAX_POOL = 500
/** Below this, a device should publish more. */
export const LOW_STOCK = 20
/** Prekeys of one account that one requester may reserve in 24 hours: more sessions than its devices could need. */
export const MAX_REQUESTER_RESERVATIONS = 64
/**
 * Prekeys of one account that its contacts together may reserve in 24 hours, and again strangers who passed a challenge,
 * and again other strangers: rows of 6 kB, 36 MB.
 */
export const MAX_ACCOUNT_RESERVATIONS = 2_000
/** The part of a pool that is kept for contacts, by what was left after its newest upload: a quarter. */
export const KEPT_DIVISOR = 4
/** How long a reservation can be used, and how long its idempotency key returns the same response. */
export const RESERVATION_MS = 24 * 3_600_000
/** How long the owner can see who reserved what. */
export const HISTORY_MS = 90 * 24 * 3_600_000
/** A batch is uploaded soon after it is signed; an older one is treated as a replay. */
export const MAX_BATCH_AGE_MS = 30 * 24 * 3_600_000
/** A live package is 15 kB, a key agreement up to some 7 kB, any other bare statement 0.5 kB. */
export const MAX_PAGE_UPDATES = 32
export const MAX_PAGE_RESERVATIONS = 100

const time = (description: string) => z.int().meta({ description: `${description}, epoch ms` })
const kind = { profile: profileSchema, suiteId: suiteIdSchema }

export const publishPackageSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      credential: signedDeviceCredentialSchema,
      keyPackage: signedKeyPackageSchema,
      prekeys: z.array(prekeyUploadSchema).max(2).default([]),
    })
    .meta({
      id: 'PublishPackage',
      description: 'A key package with at most one batch of one-time prekeys and one last-resort prekey',
    }),
)
export type PublishPackage = z.infer<typeof publishPackageSchema>
export const addPrekeysSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ prekeys: z.array(prekeyUploadSchema).min(1).max(2) }).meta({ id: 'AddPrekeys' }),
)

export const devicePackageSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      accountDid: didSchema,
      deviceId: deviceIdSchema,
      ...kind,
      version: packageVersionSchema,
      credential: signedDeviceCredentialSchema,
      keyPackage: signedKeyPackageSchema,
      seq: seqSchema,
      leafId: leafIdSchema,
      publishedAt: time('When the directory accepted it'),
    })
    .meta({ id: 'DevicePackage', description: 'Everything needed to encrypt to a device, except a one-time prekey' }),
)
export type DevicePackage = z.infer<typeof devicePackageSchema>

export const stockSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      ...kind,
      oneTime: z.int().min(0).meta({ description: 'Remaining one-time prekeys' }),
      kept: z.int().min(0).meta({ description: 'How many of them only contacts get' }),
      lastResort: z.boolean(),
      low: z.boolean().meta({
        description: `Fewer than ${LOW_STOCK} are left for those who may reserve, or for strangers; publish more`,
      }),
    })
    .meta({ id: 'PrekeyStock' }),
)
export type PrekeyStock = z.infer<typeof stockSchema>
export const publishedSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ package: devicePackageSchema, stock: z.array(stockSchema) }).meta({ id: 'PublishedPackage' }),
)
export const stockAnswerSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ stock: z.array(stockSchema) }).meta({ id: 'PrekeysAdded' }),
)

export const revokedSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      revocation: signedPackageRevocationSchema,
      seq: seqSchema,
      leafId: leafIdSchema,
      revokedAt: time('When the directory accepted it'),
    })
    .meta({ id: 'RevokedPackage' }),
)
export type RevokedPackage = z.infer<typeof revokedSchema>

export const accountUpdateSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      seq: seqSchema,
      leafId: leafIdSchema,
      package: devicePackageSchema.nullable(),
      revocation: revokedSchema.nullable(),
      statement: z
        .looseObject({ type: z.string() })
        .nullable()
        .meta({ description: 'Any other update, without its signature: what the log has the hash of' }),
    })
    .meta({
      id: 'AccountUpdate',
      description:
        'One of the three members is not null: a package that is in force, the newest revocation of a device, or the ' +
        'statement alone',
    }),
)
export type AccountUpdate = z.infer<typeof accountUpdateSchema>

export const directoryPageSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      accountDid: didSchema,
      label: accountLabelSchema,
      seq: z.int().min(0).meta({ description: 'Number of updates of the account; 0 if it has published nothing' }),
      head: hashSchema.meta({ description: 'Head hash over the statement hashes of all updates' }),
      updates: z.array(accountUpdateSchema).max(MAX_PAGE_UPDATES),
      cursor: cursorSchema.nullable().meta({ description: 'Cursor of the next page; null at the end' }),
    })
    .meta({ id: 'DirectoryPage', description: 'Every update of the account, in order and without gaps' }),
)
export type DirectoryPage = z.infer<typeof directoryPageSchema>

export const FALLBACK_POLICIES = ['one-time-required', 'last-resort-allowed'] as const
export const reservePrekeySchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      ...kind,
      fallbackPolicy: z.enum(FALLBACK_POLICIES).meta({
        description:
          '`one-time-required`: fails if no one-time prekey is left. `last-resort-allowed`: falls back to the ' +
          'last-resort prekey; not available with bound-v4',
      }),
      challengeToken: z
        .string()
        .min(1)
        .max(2048)
        .optional()
        .meta({ description: 'Token of the bot challenge, action `prekey`, after a 403 `challenge_required`' }),
      contactPassB64u: contactPassSchema.optional(),
    })
    .meta({ id: 'ReservePrekey' }),
)
export type ReservePrekey = z.infer<typeof reservePrekeySchema>

export const reservationIdSchema = /* @__PURE__ */ pure(() =>
  z
    .string()
    .regex(/^[A-Za-z0-9_-]{32}$/)
    .meta({ id: 'ReservationId' }),
)
const reservationMembers = /* @__PURE__ */ pure(() => ({
  reservationId: reservationIdSchema,
  accountDid: didSchema,
  deviceId: deviceIdSchema,
  requesterDid: didSchema,
  ...kind,
  kind: z.enum(PREKEY_KINDS).meta({ description: 'Kind of the reserved prekey' }),
  prekeyId: z.string(),
  expiresAt: time('When the reservation expires'),
}))
export const reservationReceiptSchema = /* @__PURE__ */ pure(() =>
  statementSchema('svc/prekey-reservation/v1', {
    directory: z.string().meta({ description: 'Origin of the directory' }),
    ...reservationMembers,
    leafId: leafIdSchema.meta({ description: 'Leaf of the package the prekey belongs to' }),
  }).meta({ id: 'PrekeyReservationStatement' }),
)
export const signedReceiptSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      statement: reservationReceiptSchema,
      signatureB64u: signatureSchema,
      publicKeyB64u: publicKeySchema,
    })
    .meta({
      id: 'PrekeyReservationReceipt',
      description: 'The directory’s signed record of what it handed out to whom',
    }),
)
export type ReservationReceipt = z.infer<typeof signedReceiptSchema>

export const reservedPrekeySchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      prekey: prekeySchema,
      usedFallback: z
        .boolean()
        .meta({ description: 'Whether it is the last-resort prekey, which is shared with other requesters' }),
      receipt: signedReceiptSchema,
    })
    .meta({ id: 'ReservedPrekey' }),
)
export type ReservedPrekey = z.infer<typeof reservedPrekeySchema>

export const reservationEntrySchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      ...reservationMembers,
      requesterDevice: deviceIdSchema.nullable(),
      reservedAt: time('When it was reserved'),
    })
    .meta({ id: 'ReservationEntry' }),
)
export type ReservationEntry = z.infer<typeof reservationEntrySchema>
export const poolSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      stock: z.array(stockSchema),
      reservations: z.array(reservationEntrySchema).meta({ description: 'Who reserved prekeys, newest first' }),
      cursor: cursorSchema.nullable().meta({ description: 'Cursor of the next, older page; null at the end' }),
    })
    .meta({ id: 'PrekeyPool', description: 'The owner’s view of the prekey pool' }),
)
export type PrekeyPool = z.infer<typeof poolSchema>

/** Whether a receipt was signed by the directory's key, which the caller must know independently. */
export async function verifyReservation(
  receipt: ReservationReceipt,
  expectedKeyB64u: string,
  expectedRealms: Realms,
): Promise<boolean> {
  const { publicKeyB64u, ...signed } = receipt
  return publicKeyB64u === expectedKeyB64u && verifyStatement(signed, bytesOf(expectedKeyB64u), expectedRealms)
}

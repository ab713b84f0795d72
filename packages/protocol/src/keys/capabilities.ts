/** Capabilities of the key directory, and its inventory of prekeys from an earlier system. */
import * as z from 'zod'
import { hashSchema } from '../base/hash.ts'
import { publicKeySchema, userIdSchema } from '../base/identity.ts'
import { pure } from '../base/pure.ts'
import { realmSchema } from '../base/realm.ts'
import { labelKeySchema } from '../merkle/log-list.ts'
import { logNameSchema } from '../merkle/log-name.ts'
import { FALLBACK_POLICIES } from './directory.ts'
import { profileSchema, suiteIdSchema } from './packages.ts'

/** The inventory routes return 410 from this time on. */
export const MIGRATION_SUNSET = '2027-06-30T00:00:00.000Z'
/** Keys per identity, in rows of 200 bytes. */
export const MAX_INVENTORY = 500

export const inventoryUploadSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      user_id: userIdSchema.meta({ description: 'The caller’s own userId; any other returns 403' }),
      keys: z
        .array(
          z.strictObject({
            keyId: z.string().regex(/^[!-~]{1,64}$/, 'must be 1 to 64 visible ASCII characters'),
            keyHash: hashSchema.meta({ description: 'SHA3-384 of the key; the key itself is not accepted' }),
          }),
        )
        .min(1)
        .max(100),
    })
    .meta({ id: 'InventoryUpload', description: 'Keys of an earlier system; they are never handed out' }),
)
export const inventorySchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      user_id: userIdSchema,
      keys: z.array(z.strictObject({ keyId: z.string(), keyHash: hashSchema, recordedAt: z.int() })),
      handedOut: z.literal(false),
      sunset: z.string().meta({ description: 'RFC 3339 time at which these routes end' }),
    })
    .meta({ id: 'PrekeyInventory' }),
)
export type PrekeyInventory = z.infer<typeof inventorySchema>

const number = /* @__PURE__ */ z.int()
export const directoryCapabilitiesSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      version: z.string(),
      commit: z.string(),
      authSchemes: z.array(z.string()),
      audience: z.literal('keys'),
      keyDirectoryChannelReady: z.literal(false).meta({ description: 'No secure messaging profile is active' }),
      policies: z.strictObject({
        legacyCredentials: z.literal(false),
        mutationsNeedOrigin: z.literal(true),
        maxNonceLength: number,
        profiles: z.array(
          z.strictObject({
            profile: profileSchema,
            suiteIds: z.array(suiteIdSchema),
            fallbackPolicies: z.array(z.enum(FALLBACK_POLICIES)),
          }),
        ),
        prekeys: z.strictObject({
          maxBatch: number,
          maxPool: number,
          lowStock: number,
          reservationMs: number,
          maxReservationsOfRequester: number,
          maxReservationsOfAccount: number.meta({
            description: 'Of contacts, of strangers who passed a challenge, and of others: each',
          }),
          maxContacts: number,
        }),
        guardians: z.strictObject({ maxGuardians: number, maxDays: number }),
        migration: z.strictObject({ acceptsNativeV4: z.literal(false), sunset: z.string() }),
      }),
      transparency: z.strictObject({
        tree: z.literal('rfc9162'),
        hashAlg: z.literal('sha3-384'),
        batchMs: number,
        namespace: realmSchema.meta({ description: 'Part of every account label' }),
        labelKeyB64u: labelKeySchema.nullable().meta({
          description:
            'Proves the labels of accounts; null if the secret is missing. Clients take it from the log list',
        }),
        log: logNameSchema.meta({ description: 'The log that is open' }),
        logList: z.string().meta({ description: 'Path of the signed list of logs, which has their keys' }),
        receiptKeyB64u: publicKeySchema
          .nullable()
          .meta({ description: 'Verifies receipts of reservations; null if they are not signed' }),
        witnesses: z.array(publicKeySchema),
      }),
      retired: z
        .array(z.string())
        .meta({ description: 'Paths that return 410; a trailing slash includes everything below' }),
    })
    .meta({ id: 'DirectoryCapabilities', description: 'What this deployment supports. Authoritative' }),
)

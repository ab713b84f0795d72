/** What the key directory says of itself, and its inventory of prekeys from before it (document 2 section 4.4). */
import * as z from 'zod'
import { hashSchema } from './hash.ts'
import { publicKeySchema, userIdSchema } from './identity.ts'
import { FALLBACK_POLICIES } from './key-directory.ts'
import { profileSchema, suiteIdSchema } from './key-packages.ts'

/** From then on the routes of the inventory are gone. */
export const MIGRATION_SUNSET = '2027-06-30T00:00:00.000Z'
/** Of one identity: rows of 200 bytes. */
export const MAX_INVENTORY = 500

export const inventoryUploadSchema = z
  .strictObject({
    user_id: userIdSchema.meta({ description: 'The caller’s own; another is 403' }),
    keys: z
      .array(
        z.strictObject({
          keyId: z.string().regex(/^[!-~]{1,64}$/, 'must be 1 to 64 visible ASCII characters'),
          keyHash: hashSchema.meta({ description: 'SHA3-384 of the key; the key itself is not taken' }),
        }),
      )
      .min(1)
      .max(100),
  })
  .meta({ id: 'InventoryUpload', description: 'What an earlier system held; nothing of it is ever handed out' })
export const inventorySchema = z
  .strictObject({
    user_id: userIdSchema,
    keys: z.array(z.strictObject({ keyId: z.string(), keyHash: hashSchema, recordedAt: z.int() })),
    handedOut: z.literal(false),
    sunset: z.string().meta({ description: 'RFC 3339: when these routes end' }),
  })
  .meta({ id: 'PrekeyInventory' })
export type PrekeyInventory = z.infer<typeof inventorySchema>

const number = z.int()
export const directoryCapabilitiesSchema = z
  .strictObject({
    version: z.string(),
    commit: z.string(),
    authSchemes: z.array(z.string()),
    audience: z.literal('keys'),
    keyDirectoryChannelReady: z.literal(false).meta({ description: 'No secure-messaging profile is active' }),
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
        maxReservationsOfAccount: number,
      }),
      guardians: z.strictObject({ maxGuardians: number, maxDays: number }),
      migration: z.strictObject({ acceptsNativeV4: z.literal(false), sunset: z.string() }),
    }),
    transparency: z.strictObject({
      tree: z.literal('rfc9162'),
      hashAlg: z.literal('sha3-384'),
      batchMs: number,
      logKeyB64u: publicKeySchema
        .nullable()
        .meta({ description: 'Signs checkpoints and receipts; null where nothing does' }),
      witnesses: z.array(publicKeySchema),
    }),
    retired: z.array(z.string()).meta({ description: 'Paths that answer 410; with a trailing slash, and all below' }),
  })
  .meta({ id: 'DirectoryCapabilities', description: 'What this deployment supports; the authoritative statement' })

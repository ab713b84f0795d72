import { publicKeySchema } from '@svc/protocol/identity'
import { internalSecretFields, serviceConfigSchema } from '@svc/service'
import * as z from 'zod'

export const keysConfigSchema = serviceConfigSchema.extend({
  /** Seed of the key that signs checkpoints of the log and receipts of reservations, 64 hex characters. */
  DIRECTORY_LOG_SEED: z.union([z.literal(''), z.string().regex(/^[0-9a-f]{64}$/)]).optional(),
  /** Whose cosignatures of the log are kept: each is one row, so this is also how many there are. */
  WITNESS_KEYS: z.array(publicKeySchema).max(16),
  /** Who opens epochs; '' for nobody. */
  OPERATOR_PUBLIC_KEY: z.union([z.literal(''), publicKeySchema]),
  ...internalSecretFields,
})
export type Config = z.infer<typeof keysConfigSchema>

import { publicKeySchema } from '@svc/protocol/base/identity'
import { internalSecretFields, seedField, serviceConfigSchema } from '@svc/service'
import * as z from 'zod'

/** An absent or empty value disables the feature that needs it. */
export const configSchema = serviceConfigSchema.extend({
  /** The key whose acts settle disputes. */
  OPERATOR_PUBLIC_KEY: z.union([z.literal(''), publicKeySchema]),
  /** Seed of the key that signs snapshots, 64 hex characters. */
  CONSENT_SEED: z.union([z.literal(''), z.string().regex(/^[0-9a-f]{64}$/)]).optional(),
  ...internalSecretFields,
  RECORDS_SEED: seedField,
})
export type Config = z.infer<typeof configSchema>

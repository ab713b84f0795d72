import { internalSecretFields, serviceConfigSchema } from '@svc/service'
import * as z from 'zod'

/** What is absent or empty switches off what depends on it. */
export const consentConfigSchema = serviceConfigSchema.extend({
  /** Seed of the key that signs snapshots, 64 hex characters. */
  CONSENT_SEED: z.union([z.literal(''), z.string().regex(/^[0-9a-f]{64}$/)]).optional(),
  ...internalSecretFields,
})
export type Config = z.infer<typeof consentConfigSchema>

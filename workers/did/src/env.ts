import { internalSecretFields, serviceConfigSchema } from '@svc/service'
import * as z from 'zod'

/** The DID service's variables. An absent seed disables the feature that needs it. */
export const configSchema = serviceConfigSchema.extend({
  ...internalSecretFields,
  /** Seed of the key that signs resolution results, 64 hex characters; without it they carry no proof. */
  RESOLVER_SEED: z
    .string()
    .regex(/^(?:[0-9a-f]{64})?$/)
    .optional(),
})
export type Config = z.infer<typeof configSchema>

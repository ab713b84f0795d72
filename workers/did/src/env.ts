import { publicKeySchema } from '@svc/protocol/base/identity'
import { internalSecretFields, seedField, serviceConfigSchema } from '@svc/service'
import * as z from 'zod'

/** The DID service's variables. An absent seed disables the feature that needs it. */
export const configSchema = serviceConfigSchema.extend({
  ...internalSecretFields,
  /** The key that signs operator acts; empty until there is one, which disables them. */
  OPERATOR_PUBLIC_KEY: z.union([z.literal(''), publicKeySchema]),
  RECORDS_SEED: seedField,
  /** Seed of the key that signs resolution results, 64 hex characters; without it they carry no proof. */
  RESOLVER_SEED: z
    .string()
    .regex(/^(?:[0-9a-f]{64})?$/)
    .optional(),
})
export type Config = z.infer<typeof configSchema>

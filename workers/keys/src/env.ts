import { publicKeySchema } from '@svc/protocol/base/identity'
import { internalSecretFields, logConfigFields, seedField, serviceConfigSchema } from '@svc/service'
import * as z from 'zod'
import { beaconFields } from './beacon/config.ts'

export const configSchema = serviceConfigSchema.extend({
  ...logConfigFields,
  /** Seed of the key that signs receipts of reservations, 64 hex characters. */
  DIRECTORY_RECEIPT_SEED: seedField,
  /** Turnstile: verifies tokens of strangers, where an account asks for them. */
  TURNSTILE_SECRET: z.string().optional(),
  /** Witnesses whose cosignatures are kept. Each has one row, so this list bounds the table. */
  WITNESS_KEYS: z.array(publicKeySchema).max(16),
  ...beaconFields,
  /** The operator who opens epochs and admits members; '' for none. */
  OPERATOR_PUBLIC_KEY: z.union([z.literal(''), publicKeySchema]),
  ...internalSecretFields,
  RECORDS_SEED: seedField,
})
export type Config = z.infer<typeof configSchema>

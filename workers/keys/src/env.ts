import { publicKeySchema } from '@svc/protocol/base/identity'
import { internalSecretFields, logConfigFields, logConfigSchema, seedField, serviceConfigSchema } from '@svc/service'
import * as z from 'zod'
import { beaconFields } from './beacon/config.ts'

const labelsFields = {
  /** Secret of the labels of accounts, 64 hex characters: one for a namespace, for as long as that lives. */
  KEY_LABELS_SEED: seedField,
}
/** What the labels of accounts depend on. */
export const labelsConfigSchema = logConfigSchema.extend(labelsFields)

export const configSchema = serviceConfigSchema.extend({
  ...logConfigFields,
  /** Seed of the key that signs receipts of reservations, 64 hex characters. */
  DIRECTORY_RECEIPT_SEED: seedField,
  ...labelsFields,
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

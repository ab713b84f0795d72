import { publicKeySchema } from '@svc/protocol/base/identity'
import { internalSecretFields, seedField, serviceConfigSchema } from '@svc/service'
import * as z from 'zod'
import { MAX_GENERATIONS } from './vectors/indexes.ts'

const generations = z.int().min(1).max(MAX_GENERATIONS)

export const configSchema = serviceConfigSchema.extend({
  /** Whether registration appends to the owner's chain at core and the provenance routes answer. */
  CHAIN_BINDING: z.enum(['on', 'off']),
  /** How many generations the index of each service has. */
  VECTOR_GENERATIONS: z.strictObject({
    text: generations,
    semantic: generations,
    fragment: generations,
    video: generations,
  }),
  /** Epochs of core's anchors that an operator published to a test network by hand. */
  TEST_NETWORK_EPOCHS: z.array(z.string().min(1)).max(64),
  /** Empty: operator routes are off. */
  OPERATOR_PUBLIC_KEY: z.union([z.literal(''), publicKeySchema]),
  ...internalSecretFields,
  RECORDS_SEED: seedField,
})
export type Config = z.infer<typeof configSchema>

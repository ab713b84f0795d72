import { publicKeySchema } from '@svc/protocol/identity'
import { internalSecretFields, serviceConfigSchema } from '@svc/service'
import * as z from 'zod'

export const provenanceConfigSchema = serviceConfigSchema.extend({
  /** Whether registration appends to the owner's chain at core, and provenance routes answer. */
  CHAIN_BINDING: z.enum(['on', 'off']),
  /** Epochs of core's anchors that an operator has put on a test network by hand. */
  TEST_NETWORK_EPOCHS: z.array(z.string().min(1)).max(64),
  /** Empty: no acts of an operator. */
  OPERATOR_PUBLIC_KEY: z.union([z.literal(''), publicKeySchema]),
  ...internalSecretFields,
})
export type Config = z.infer<typeof provenanceConfigSchema>

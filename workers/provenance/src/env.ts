import { internalSecretSchema, serviceConfigSchema } from '@svc/service'
import * as z from 'zod'

export const provenanceConfigSchema = serviceConfigSchema.extend({
  /** Whether registration appends to the owner's chain at core, and provenance routes answer. */
  CHAIN_BINDING: z.enum(['on', 'off']),
  SVC_INTERNAL_SECRET: internalSecretSchema.optional(),
})
export type Config = z.infer<typeof provenanceConfigSchema>

import { publicKeySchema } from '@svc/protocol/identity'
import { serviceConfigSchema } from '@svc/service'
import * as z from 'zod'

/** Core's variables. An empty operator key or an absent secret switches off what depends on it. */
export const coreConfigSchema = serviceConfigSchema.extend({
  DOCS_URL: z.url(),
  /** Acceptance gate for appends of profile 4. */
  CHAIN_V4: z.enum(['on', 'off']),
  OPERATOR_PUBLIC_KEY: z.union([z.literal(''), publicKeySchema]),
  SVC_INTERNAL_SECRET: z.string().optional(),
})
export type CoreConfig = z.infer<typeof coreConfigSchema>

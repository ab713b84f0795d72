import { internalSecretSchema, serviceConfigSchema } from '@svc/service'
import type * as z from 'zod'

export const didConfigSchema = serviceConfigSchema.extend({ SVC_INTERNAL_SECRET: internalSecretSchema.optional() })
export type DidConfig = z.infer<typeof didConfigSchema>

import { internalSecretSchema, serviceConfigSchema } from '@svc/service'
import type * as z from 'zod'

export const payConfigSchema = serviceConfigSchema.extend({ SVC_INTERNAL_SECRET: internalSecretSchema.optional() })
export type Config = z.infer<typeof payConfigSchema>

import { internalSecretFields, serviceConfigSchema } from '@svc/service'
import type * as z from 'zod'

export const keysConfigSchema = serviceConfigSchema.extend(internalSecretFields)
export type Config = z.infer<typeof keysConfigSchema>

import { serviceConfigSchema } from '@svc/service'
import * as z from 'zod'

export const keysConfigSchema = serviceConfigSchema.extend({ SVC_INTERNAL_SECRET: z.string().optional() })
export type Config = z.infer<typeof keysConfigSchema>

import { serviceConfigSchema } from '@svc/service'
import * as z from 'zod'

export const didConfigSchema = serviceConfigSchema.extend({ SVC_INTERNAL_SECRET: z.string().optional() })
export type DidConfig = z.infer<typeof didConfigSchema>

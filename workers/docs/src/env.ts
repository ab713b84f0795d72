import { serviceConfigSchema } from '@svc/service'
import type * as z from 'zod'

/** The documentation host has no variables of its own. */
export const configSchema = serviceConfigSchema
export type Config = z.infer<typeof configSchema>

import { serviceConfigSchema } from '@svc/service'
import * as z from 'zod'

export const configSchema = serviceConfigSchema.extend({
  /** Where to report a vulnerability of the deployment, as a URI; absent or empty: there is no `security.txt`. */
  SECURITY_CONTACT: z.union([z.literal(''), z.string().regex(/^(?:mailto:|https:\/\/|tel:)[\x21-\x7e]+$/)]).optional(),
  /** Where pages of the API references lead to; absent or empty: the deployment has no console. */
  CONSOLE_ORIGIN: z.union([z.literal(''), z.url()]).default(''),
})
export type Config = z.infer<typeof configSchema>

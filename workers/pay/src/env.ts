import { publicKeySchema } from '@svc/protocol/identity'
import { internalSecretFields, serviceConfigSchema } from '@svc/service'
import * as z from 'zod'

const unset = z.literal('')

/** What is absent or empty switches off what depends on it. */
export const payConfigSchema = serviceConfigSchema.extend({
  OPERATOR_PUBLIC_KEY: z.union([unset, publicKeySchema]),
  /** Where a payer comes back to from a payment page. */
  CHECKOUT_RETURN_URL: z.url(),
  /** Seed of the key that signs quota receipts, 64 hex characters. */
  QUOTA_RECEIPT_SEED: z.union([unset, z.string().regex(/^[0-9a-f]{64}$/)]).optional(),
  /** Without it a local deployment has the embedded provider, and any other one none. */
  STRIPE_SECRET_KEY: z.string().optional(),
  /** What Stripe signs its events with, and the embedded provider too. */
  STRIPE_WEBHOOK_SECRET: z.union([unset, z.string().min(16)]).optional(),
  ...internalSecretFields,
})
export type Config = z.infer<typeof payConfigSchema>

import { publicKeySchema } from '@svc/protocol/base/identity'
import { internalSecretFields, seedField, serviceConfigSchema } from '@svc/service'
import * as z from 'zod'

const unset = z.literal('')

/** An absent or empty value disables the feature that needs it. */
export const configSchema = serviceConfigSchema.extend({
  OPERATOR_PUBLIC_KEY: z.union([unset, publicKeySchema]),
  /** Where payers return from a payment page. */
  CHECKOUT_RETURN_URL: z.url(),
  /** Where people ask for what is not sold here, shown beside the offers. */
  SALES_CONTACT: z.union([unset, z.string().regex(/^(?:mailto:[^\s?]+@[^\s?]+|https:\/\/[\x21-\x7e]+)$/)]).optional(),
  /** Seed of the key that signs quota receipts, 64 hex characters. */
  QUOTA_RECEIPT_SEED: z.union([unset, z.string().regex(/^[0-9a-f]{64}$/)]).optional(),
  /** Without it, a local deployment uses the embedded provider, and any other has none. */
  STRIPE_SECRET_KEY: z.string().optional(),
  /** The secret that Stripe, or the embedded provider, signs its events with. */
  STRIPE_WEBHOOK_SECRET: z.union([unset, z.string().min(16)]).optional(),
  ...internalSecretFields,
  RECORDS_SEED: seedField,
})
export type Config = z.infer<typeof configSchema>

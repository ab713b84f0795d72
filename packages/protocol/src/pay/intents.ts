/** Payment intents (workers/docs/pages/developer/pay.md): one attempt by an identity to pay for an offer. */
import * as z from 'zod'
import { pure } from '../base/pure.ts'
import { countrySchema, offerSchema, skuSchema } from './offers.ts'

export const intentRequestSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ sku: skuSchema, country: countrySchema.optional() }).meta({ id: 'IntentRequest' }),
)

export const INTENT_STATES = ['open', 'paid', 'failed', 'expired', 'cancelled'] as const
export type IntentState = (typeof INTENT_STATES)[number]

export const intentIdSchema = /* @__PURE__ */ pure(() => z.uuid().meta({ description: 'Assigned by the service' }))

export const intentSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      id: intentIdSchema,
      state: z.enum(INTENT_STATES),
      offer: offerSchema.meta({ description: 'The offer when the intent was created; its price does not change' }),
      provider: z.enum(['stripe', 'local']),
      checkoutUrl: z
        .url()
        .nullable()
        .meta({ description: 'Checkout page for the payer; null unless the intent is open' }),
      createdAt: z.int(),
      expiresAt: z.int().meta({ description: 'When the checkout page expires, epoch ms' }),
    })
    .meta({ id: 'Intent', description: 'One attempt to pay for one offer' }),
)
export type Intent = z.infer<typeof intentSchema>

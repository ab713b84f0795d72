/** Payment intents (document 2 section 4.6): one attempt of one identity to pay for one offer. */
import * as z from 'zod'
import { countrySchema, offerSchema, skuSchema } from './offers.ts'

export const intentRequestSchema = z
  .strictObject({ sku: skuSchema, country: countrySchema.optional() })
  .meta({ id: 'IntentRequest' })

export const INTENT_STATES = ['open', 'paid', 'failed', 'expired', 'cancelled'] as const
export type IntentState = (typeof INTENT_STATES)[number]

export const intentIdSchema = z.uuid().meta({ description: 'Given by the service' })

export const intentSchema = z
  .strictObject({
    id: intentIdSchema,
    state: z.enum(INTENT_STATES),
    offer: offerSchema.meta({ description: 'As it was offered when the intent was made: the price does not change' }),
    provider: z.enum(['stripe', 'local']),
    checkoutUrl: z.url().nullable().meta({ description: 'Where the payer goes; null once the intent is not open' }),
    createdAt: z.int(),
    expiresAt: z.int().meta({ description: 'When the payment page closes, epoch ms' }),
  })
  .meta({ id: 'Intent', description: 'One attempt to pay for one offer' })
export type Intent = z.infer<typeof intentSchema>

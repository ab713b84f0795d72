/** Offers and prices (document 2 sections 2.4 and 4.6). */
import * as z from 'zod'
import { isCountry } from './countries.ts'
import { tierLimitsSchema, tierSchema } from './tiers.ts'

export const skuSchema = z
  .string()
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'must be words of a-z 0-9 with hyphens between')
  .max(64)
  .meta({ id: 'Sku', description: 'Names one thing that is offered', example: 'provenance-month' })

export const countrySchema = z
  .string()
  .regex(/^[A-Z]{2}$/, 'must be two capital letters')
  .refine(isCountry, 'must be a country of ISO 3166-1')
  .meta({ description: 'ISO 3166-1 alpha-2; takes the place of the country that the address is in', example: 'DE' })

export const priceSchema = z
  .strictObject({
    amount_minor: z.int().min(0).meta({ description: 'In minor units of the currency, as ISO 4217 divides it' }),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/)
      .meta({ description: 'ISO 4217', example: 'EUR' }),
    display: z.string().meta({ description: 'The amount for people, in the manner of the region', example: '€9.00' }),
  })
  .meta({ id: 'Price' })
export type Price = z.infer<typeof priceSchema>

export const OFFER_KINDS = ['free', 'subscription', 'pass', 'contact'] as const
export const INTERVALS = ['month', 'year'] as const

export const offerSchema = z
  .strictObject({
    sku: skuSchema,
    display: z.string().meta({ description: 'Its name for people' }),
    kind: z.enum(OFFER_KINDS).meta({
      description: '`free` needs nothing; a `subscription` renews; a `pass` is paid once; `contact` is sold by talking',
    }),
    tier: tierSchema,
    interval: z.enum(INTERVALS).nullable().meta({ description: 'What one payment covers; null where none is made' }),
    price: priceSchema.nullable().meta({ description: 'Null where the price is a matter of talking' }),
    region: z.string().meta({ description: 'The region of the price', example: 'eu' }),
  })
  .meta({ id: 'PayOffer', description: 'One thing that is offered, at its price in one region' })
export type Offer = z.infer<typeof offerSchema>

export const offerTierSchema = z
  .strictObject({
    tier: tierSchema,
    availability: z.enum(['signup', 'offer', 'contact']),
    limits: tierLimitsSchema,
  })
  .meta({ id: 'PayOfferTier', description: 'What a tier allows and how one comes by it' })

export const offerListSchema = z
  .strictObject({
    region: z.string().meta({ example: 'eu' }),
    recommended: skuSchema,
    offers: z.array(offerSchema),
    tiers: z.array(offerTierSchema),
    note: z.string().meta({ description: 'For people' }),
  })
  .meta({ id: 'PayOfferList' })
export type OfferList = z.infer<typeof offerListSchema>

export const offerQuerySchema = z.strictObject({ country: countrySchema.optional() })

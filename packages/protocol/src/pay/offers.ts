/** Offers and prices (workers/docs/pages/developer/pay.md). */
import * as z from 'zod'
import { pure } from '../base/pure.ts'
import { isCountry } from './countries.ts'
import { tierLimitsSchema, tierSchema } from './tiers.ts'

export const skuSchema = /* @__PURE__ */ pure(() =>
  z
    .string()
    .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'must be words of a-z 0-9 separated by hyphens')
    .max(64)
    .meta({ id: 'Sku', description: 'Identifies an offer', example: 'provenance-month' }),
)

export const countrySchema = /* @__PURE__ */ pure(() =>
  z
    .string()
    .regex(/^[A-Z]{2}$/, 'must be two uppercase letters')
    .refine(isCountry, 'must be a country of ISO 3166-1')
    .meta({ description: 'ISO 3166-1 alpha-2; overrides the country of the client’s IP address', example: 'DE' }),
)

export const priceSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      amount_minor: z.int().min(0).meta({ description: 'Amount in minor units of the currency (ISO 4217)' }),
      currency: z
        .string()
        .regex(/^[A-Z]{3}$/)
        .meta({ description: 'ISO 4217', example: 'EUR' }),
      display: z
        .string()
        .meta({ description: 'Display text of the amount, formatted for the region', example: '€9.00' }),
    })
    .meta({ id: 'Price' }),
)
export type Price = z.infer<typeof priceSchema>

export const OFFER_KINDS = ['free', 'subscription', 'pass'] as const
export const INTERVALS = ['month', 'year'] as const

export const offerSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      sku: skuSchema,
      display: z.string().meta({ description: 'Display name' }),
      kind: z.enum(OFFER_KINDS).meta({
        description: '`free`: no payment. `subscription`: renews. `pass`: paid once',
      }),
      tier: tierSchema,
      interval: z.enum(INTERVALS).nullable().meta({ description: 'Period one payment covers; null without payment' }),
      price: priceSchema,
      region: z.string().meta({ description: 'Region the price applies to', example: 'eu' }),
    })
    .meta({ id: 'PayOffer', description: 'An offer at its price in one region' }),
)
export type Offer = z.infer<typeof offerSchema>

export const offerTierSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      tier: tierSchema,
      availability: z.enum(['signup', 'offer', 'contact']).meta({
        description: '`signup`: free. `offer`: see `offers`. `contact`: the operator grants it; see `note`',
      }),
      limits: tierLimitsSchema,
    })
    .meta({ id: 'PayOfferTier', description: 'Limits of a tier and how to get it' }),
)

export const offerListSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      region: z.string().meta({ example: 'eu' }),
      recommended: skuSchema,
      offers: z.array(offerSchema),
      tiers: z.array(offerTierSchema),
      note: z
        .string()
        .optional()
        .meta({ description: 'How to reach the operator; absent if the deployment names no way' }),
    })
    .meta({ id: 'PayOfferList' }),
)
export type OfferList = z.infer<typeof offerListSchema>

export const offerQuerySchema = /* @__PURE__ */ pure(() => z.strictObject({ country: countrySchema.optional() }))

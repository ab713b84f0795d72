import { offerListSchema, offerQuerySchema, offerSchema, skuSchema } from '@svc/protocol/pay/offers'
import { ApiError, defineOperation } from '@svc/service'
import * as z from 'zod'
import { payRoute } from '../service.ts'

export const listOffers = defineOperation({
  id: 'listOffers',
  method: 'get',
  path: '/pay/offer',
  summary: 'List offers at the prices of the caller’s region',
  description: 'The region is that of the country in which the edge sees the caller; `country` overrides it.',
  auth: 'none',
  query: offerQuerySchema,
  answer: { status: 200, description: 'The offers', schema: offerListSchema },
  errors: ['dependency_unavailable'],
})

export const readOffer = defineOperation({
  id: 'readOffer',
  method: 'get',
  path: '/pay/offer/{sku}',
  summary: 'Read an offer',
  description:
    'At the price of the caller’s region, which is that of the country in which the edge sees the caller; `country` ' +
    'overrides it. `amount_minor` is in minor units of ISO 4217: 900 is nine euros, but 900 yen.',
  auth: 'none',
  params: z.strictObject({ sku: skuSchema }),
  unknown: 'unknown_sku',
  query: offerQuerySchema,
  answer: { status: 200, description: 'The offer', schema: offerSchema },
  errors: ['unknown_sku', 'dependency_unavailable'],
})

export const offerRoutes = [
  payRoute(listOffers, ({ query, country, deps }) => deps.offers.list(query.country ?? country)),
  payRoute(readOffer, async ({ params: { sku }, query, country, deps }) => {
    const offer = await deps.offers.find(sku, query.country ?? country)
    if (!offer) throw new ApiError('unknown_sku')
    return offer
  }),
]

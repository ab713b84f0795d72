import { TIER_LIMITS } from '@svc/protocol/pay/tiers'
import { describe, expect, it } from 'vitest'
import { type CatalogueEntry, DEFAULT_REGION, displayAmount, offerListOf, offerOf } from './rules.ts'

const shown = (amount: number, currency: string, locale: string) =>
  displayAmount(amount, { region: 'x', currency, locale }).replaceAll(/\s/g, ' ')

describe('displayAmount', () => {
  it.each([
    [0, 'USD', 'en-US', '$0.00'],
    [5, 'USD', 'en-US', '$0.05'],
    [99, 'EUR', 'en-IE', '€0.99'],
    [123_456, 'EUR', 'de-DE', '1.234,56 €'],
    [1_400, 'JPY', 'en-US', '¥1,400'],
    [7, 'KWD', 'en-GB', 'KWD 0.007'],
    [2_750, 'KWD', 'en-GB', 'KWD 2.750'],
    [250_000, 'HUF', 'en-US', 'HUF 2,500.00'],
    [9_990_050, 'IDR', 'en-US', 'IDR 99,900.50'],
    [1_234, 'IQD', 'en-US', 'IQD 1.234'],
    [12_345, 'CLF', 'en-US', 'CLF 1.2345'],
    [1_500, 'ISK', 'en-US', 'ISK 1,500'],
    [9_007_199_254_740_991, 'USD', 'en-US', '$90,071,992,547,409.91'],
  ])('shows %i of %s in %s as %s', (amount, currency, locale, text) => {
    expect(shown(amount, currency, locale)).toBe(text)
  })
})

const region = { region: 'eu', currency: 'EUR', locale: 'en-IE' }
const monthly: CatalogueEntry = {
  sku: 'provenance-month',
  display: 'Provenance',
  kind: 'subscription',
  tier: 'provenance',
  interval: 'month',
  isRecommended: false,
  amountMinor: 900,
}
const yearly: CatalogueEntry = { ...monthly, sku: 'provenance-year', interval: 'year', isRecommended: true }

describe('an offer', () => {
  it('has the price of the region', () => {
    expect(offerOf(monthly, region)).toEqual({
      sku: 'provenance-month',
      display: 'Provenance',
      kind: 'subscription',
      tier: 'provenance',
      interval: 'month',
      price: { amount_minor: 900, currency: 'EUR', display: '€9.00' },
      region: 'eu',
    })
  })

  it('is none where no price is set, and one where it costs nothing', () => {
    expect(offerOf({ ...monthly, amountMinor: null }, region)).toBeNull()
    expect(offerOf({ ...monthly, amountMinor: 0 }, region)?.price.amount_minor).toBe(0)
  })
})

describe('the offers of a region', () => {
  it('have what is sold there, and recommend one of it', () => {
    const list = offerListOf([monthly, { ...monthly, sku: 'unsold', amountMinor: null }, yearly], region, '')
    expect(list).toMatchObject({ region: 'eu', recommended: 'provenance-year' })
    expect(list.offers.map(({ sku }) => sku)).toEqual(['provenance-month', 'provenance-year'])
    expect(list).not.toHaveProperty('note')
  })

  it('recommend the first without a recommendation, and what is free without an offer', () => {
    expect(offerListOf([monthly, { ...yearly, isRecommended: false }], region, '').recommended).toBe('provenance-month')
    expect(offerListOf([monthly, { ...yearly, amountMinor: null }], region, '').recommended).toBe('provenance-month')
    expect(offerListOf([], region, '').recommended).toBe('notes-free')
  })

  it('say how each tier is had, and what it allows', () => {
    const { tiers } = offerListOf([], region, '')
    expect(tiers.map(({ tier, availability }) => [tier, availability])).toEqual([
      ['notes', 'signup'],
      ['provenance', 'offer'],
      ['atelier', 'offer'],
      ['research', 'contact'],
    ])
    expect(tiers.map(({ limits }) => limits)).toEqual(tiers.map(({ tier }) => TIER_LIMITS[tier]))
  })

  it.each([
    ['mailto:sales@example.com', 'For more than these offers, write to sales@example.com.'],
    ['https://example.com/sales', 'For more than these offers, see https://example.com/sales.'],
  ])('name the operator by %s', (contact, note) => {
    expect(offerListOf([], region, contact).note).toBe(note)
  })

  it('of the world are for every other region', () => {
    expect(DEFAULT_REGION).toBe('world')
  })
})

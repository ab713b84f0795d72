/**
 * The rules of offers: the catalogue at the prices of one region.
 *
 * @module
 */
import type { Offer, OfferList } from '@svc/protocol/pay/offers'
import { TIER_LIMITS, TIERS } from '@svc/protocol/pay/tiers'
import { exponentOf } from './currency.ts'

/** A row of the catalogue with its price in one region; no amount if none was set. */
export interface CatalogueEntry {
  readonly sku: string
  readonly display: string
  readonly kind: Offer['kind']
  readonly tier: Offer['tier']
  readonly interval: Offer['interval']
  readonly isRecommended: boolean
  readonly amountMinor: number | null
}

export interface Region {
  readonly region: string
  readonly currency: string
  readonly locale: string
}

export const DEFAULT_REGION = 'world'

/** The amount for people. Digits are placed as text, so that no amount becomes a binary fraction. */
export function displayAmount(amountMinor: number, { currency, locale }: Region): string {
  const exponent = exponentOf(currency)
  const decimals = { minimumFractionDigits: exponent, maximumFractionDigits: exponent }
  const format = new Intl.NumberFormat(locale, { style: 'currency', currency, ...decimals })
  const digits = String(amountMinor).padStart(exponent + 1, '0')
  const split = digits.length - exponent
  const decimal = exponent === 0 ? digits : `${digits.slice(0, split)}.${digits.slice(split)}`
  return format.format(decimal as `${number}`)
}

/** Null if the region has no price, so that it is not offered there. */
export function offerOf(entry: CatalogueEntry, region: Region): Offer | null {
  const { sku, display, kind, tier, interval, amountMinor } = entry
  if (amountMinor === null) return null
  const price = priceOf(amountMinor, region)
  return { sku, display, kind, tier, interval, price, region: region.region }
}

function priceOf(amountMinor: number, region: Region) {
  return { amount_minor: amountMinor, currency: region.currency, display: displayAmount(amountMinor, region) }
}

/** What to show beside the offers: the way to the operator, who grants what is not sold here. */
function noteOf(contact: string): string {
  const address = contact.startsWith('mailto:') ? contact.slice('mailto:'.length) : null
  return `For more than these offers, ${address === null ? `see ${contact}` : `write to ${address}`}.`
}

/** `contact` is the operator's address, empty if the deployment names none: nothing then promises one. */
export function offerListOf(entries: readonly CatalogueEntry[], region: Region, contact: string): OfferList {
  const offered = entries.flatMap((entry) => {
    const offer = offerOf(entry, region)
    return offer ? [{ offer, isRecommended: entry.isRecommended }] : []
  })
  const recommended = offered.find(({ isRecommended }) => isRecommended) ?? offered[0]
  return {
    region: region.region,
    recommended: recommended?.offer.sku ?? 'notes-free',
    offers: offered.map(({ offer }) => offer),
    tiers: TIERS.map((tier) => ({ tier, availability: availabilityOf(tier), limits: TIER_LIMITS[tier] })),
    ...(contact === '' ? {} : { note: noteOf(contact) }),
  }
}

function availabilityOf(tier: Offer['tier']): 'signup' | 'offer' | 'contact' {
  switch (tier) {
    case 'notes':
      return 'signup'
    case 'provenance':
    case 'atelier':
      return 'offer'
    case 'research':
      return 'contact'
  }
}

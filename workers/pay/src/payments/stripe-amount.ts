/**
 * Stripe's own minor units where they differ from those of ISO 4217: ISK and UGX have none there, and Stripe takes them
 * in hundredths all the same. MGA has two decimals and Stripe takes none. Of three decimals it takes two, so the last
 * digit of such an amount is 0.
 *
 * @module
 */
const IN_HUNDREDTHS: ReadonlySet<string> = new Set(['ISK', 'UGX'])
const IN_WHOLES: ReadonlySet<string> = new Set(['MGA'])
const IN_THOUSANDTHS: ReadonlySet<string> = new Set(['BHD', 'JOD', 'KWD', 'OMR', 'TND'])

/** What Stripe is told; throws for an amount that it would round. */
export function stripeAmountOf(amountMinor: number, currency: string): number {
  if (IN_HUNDREDTHS.has(currency)) return amountMinor * 100
  if (IN_WHOLES.has(currency)) {
    if (amountMinor % 100 !== 0) throw new RangeError(`an amount in ${currency} must end in 00`)
    return amountMinor / 100
  }
  if (IN_THOUSANDTHS.has(currency) && amountMinor % 10 !== 0) {
    throw new RangeError(`an amount in ${currency} must end in 0`)
  }
  return amountMinor
}

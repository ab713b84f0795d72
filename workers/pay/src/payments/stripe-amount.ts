/**
 * Stripe's minor units where they differ from ISO 4217: ISK and UGX have none there, but Stripe expects hundredths. MGA
 * has two decimals, but Stripe uses none. Of three decimals Stripe uses two, so the last digit of such an amount must be
 * 0.
 *
 * @module
 */
const IN_HUNDREDTHS: ReadonlySet<string> = new Set(['ISK', 'UGX'])
const IN_WHOLES: ReadonlySet<string> = new Set(['MGA'])
const IN_THOUSANDTHS: ReadonlySet<string> = new Set(['BHD', 'JOD', 'KWD', 'OMR', 'TND'])

/** The amount to send to Stripe; throws for one that it would round. */
export function stripeAmountOf(amountMinor: number, currency: string): number {
  if (IN_HUNDREDTHS.has(currency)) return amountMinor * 100
  if (IN_WHOLES.has(currency)) {
    if (amountMinor % 100 !== 0) throw new RangeError(`An amount in ${currency} must end in 00`)
    return amountMinor / 100
  }
  if (IN_THOUSANDTHS.has(currency) && amountMinor % 10 !== 0) {
    throw new RangeError(`An amount in ${currency} must end in 0`)
  }
  return amountMinor
}

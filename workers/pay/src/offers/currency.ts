/**
 * How ISO 4217 divides currencies. `Intl` does not say: its digits are those that people write, which are none for the
 * forint or the rupiah though both have two.
 *
 * @module
 */
const BY_EXPONENT: ReadonlyMap<number, readonly string[]> = new Map([
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' ')],
  [3, 'BHD IQD JOD KWD LYD OMR TND'.split(' ')],
  [4, 'CLF UYW'.split(' ')],
])
const EXPONENTS: ReadonlyMap<string, number> = new Map(
  [...BY_EXPONENT].flatMap(([exponent, currencies]) => currencies.map((currency) => [currency, exponent] as const)),
)

/** Decimals of the minor unit; two where the standard's list of exceptions does not have the currency. */
export function exponentOf(currency: string): number {
  return EXPONENTS.get(currency) ?? 2
}

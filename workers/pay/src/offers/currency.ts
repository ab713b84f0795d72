/**
 * Minor units of currencies according to ISO 4217. `Intl` does not have them: its digits are those people write, which
 * are none for the forint or the rupiah, although both have two.
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

/** Decimals of the minor unit; two if the currency is not in the standard's list of exceptions. */
export function exponentOf(currency: string): number {
  return EXPONENTS.get(currency) ?? 2
}

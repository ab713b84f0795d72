import { describe, expect, it } from 'vitest'
import { displayAmount } from './rules.ts'

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

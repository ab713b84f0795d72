import { describe, expect, it } from 'vitest'
import { stripeAmountOf } from './stripe-amount.ts'

describe('stripeAmountOf', () => {
  it.each([
    [900, 'USD', 900],
    [1_400, 'JPY', 1_400],
    [250_000, 'HUF', 250_000],
    [1_500, 'ISK', 150_000],
    [30_000, 'UGX', 3_000_000],
    [2_750, 'KWD', 2_750],
    [450_000, 'MGA', 4_500],
  ])('tells %i of %s as %i', (amount, currency, told) => {
    expect(stripeAmountOf(amount, currency)).toBe(told)
  })

  it.each([
    [2_755, 'KWD'],
    [1, 'BHD'],
    [450_050, 'MGA'],
  ])('refuses %i of %s, which would be rounded', (amount, currency) => {
    expect(() => stripeAmountOf(amount, currency)).toThrow(RangeError)
  })
})

import { describe, expect, it } from 'vitest'
import { countFitting, sentBytes } from './page.ts'

describe('what an item adds to a page', () => {
  const facts = { anchorId: 'a', epoch: 'é' }
  const attestations = [{ alg: 'ml-dsa-65', publicKeyB64u: 'AAAA', signatureB64u: 'BBBB' }]
  const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length

  it('is its bytes as sent and a comma', () => {
    expect(sentBytes(facts, null)).toBe(bytesOf([facts, facts]) - bytesOf([facts]))
    const whole = { ...facts, attestations }
    expect(sentBytes(facts, bytesOf(attestations))).toBe(bytesOf([whole, whole]) - bytesOf([whole]))
    expect(sentBytes(facts, bytesOf([]))).toBe(bytesOf({ ...facts, attestations: [] }) + 1)
  })
})

describe('a page', () => {
  it('holds what fits into 1 MiB with the members around it', () => {
    expect(countFitting([])).toBe(0)
    expect(countFitting([7_600, 7_600])).toBe(2)
    const room = 1_048_576 - 1_024
    expect(countFitting([room / 2, room / 2])).toBe(2)
    expect(countFitting([room / 2, room / 2, 1])).toBe(2)
    expect(countFitting([room / 2, room / 2 + 1])).toBe(1)
    expect(countFitting(Array.from({ length: 500 }, () => 7_600))).toBe(137)
  })

  it('holds at least one item', () => {
    expect(countFitting([2_000_000, 1])).toBe(1)
  })
})

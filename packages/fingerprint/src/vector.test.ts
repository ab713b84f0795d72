import { describe, expect, it } from 'vitest'
import { agreementOf, cosineOf, hammingDistance, packVector, unpackVector } from './vector.ts'

const values = Array.from({ length: 256 }, (_, i) => (i % 3 === 0 ? 1 : -1))

describe('packed vectors', () => {
  it('put value i into bit i % 8 of byte i / 8', () => {
    const packed = packVector([1, -1, -1, 1, -1, -1, -1, -1, 1, ...Array.from({ length: 247 }, () => -1)])
    expect([...packed]).toEqual([9, 1, ...Array.from({ length: 30 }, () => 0)])
  })

  it('unpack to what was packed', () => {
    expect(unpackVector(packVector(values))).toEqual(values)
  })

  it('must have 256 values of 1 or -1', () => {
    expect(() => packVector(values.slice(1))).toThrow(new RangeError('a vector must have 256 values'))
    expect(() => packVector([...values.slice(1), 0])).toThrow(new RangeError('a value must be 1 or -1'))
    expect(() => unpackVector(new Uint8Array(31))).toThrow(new RangeError('a packed vector must have 32 bytes'))
    expect(() => hammingDistance(new Uint8Array(32), new Uint8Array(33))).toThrow(RangeError)
  })
})

describe('the distance of two vectors', () => {
  it('counts the values in which they differ', () => {
    const other = values.map((value, i) => (i < 40 ? -value : value))
    expect(hammingDistance(packVector(values), packVector(other))).toBe(40)
    expect(hammingDistance(packVector(values), packVector(values.map((value) => -value)))).toBe(256)
  })

  it('is 64 at an agreement of 0.75, and 32 at a cosine of 0.75', () => {
    expect([agreementOf(64), cosineOf(64)]).toEqual([0.75, 0.5])
    expect([agreementOf(32), cosineOf(32)]).toEqual([0.875, 0.75])
    expect([agreementOf(256), cosineOf(256)]).toEqual([0, -1])
  })

  it('returns the cosine of the vectors', () => {
    const other = values.map((value, i) => (i % 5 === 0 ? -value : value))
    const dot = values.reduce((sum, value, i) => sum + value * (other[i] ?? 0), 0)
    expect(cosineOf(hammingDistance(packVector(values), packVector(other)))).toBe(dot / 256)
  })
})

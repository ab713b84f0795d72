import { packVector } from '@svc/fingerprint'
import { describe, expect, it } from 'vitest'
import { decodeVectorSet, encodeVectorSet, packSigns } from './set.ts'

const set = {
  places: [
    { index: 0, start: 0, extent: 20 },
    { index: Number.MAX_SAFE_INTEGER, start: 4_294_967_296, extent: 1 },
  ],
  vectors: Uint8Array.from({ length: 64 }, (_, i) => i),
}

describe('a set of vectors', () => {
  it('comes back as it was written, from the middle of other bytes too', () => {
    const bytes = encodeVectorSet(set)
    expect(bytes.length).toBe(8 + 2 * 56)
    expect([...bytes.subarray(0, 8)]).toEqual([0x53, 0x56, 0x56, 1, 2, 0, 0, 0])
    expect(decodeVectorSet(bytes)).toEqual(set)
    expect(decodeVectorSet(Uint8Array.from([1, 2, 3, ...bytes]).subarray(3))).toEqual(set)
  })

  it('is not written without a vector for each place', () => {
    expect(() => encodeVectorSet({ ...set, vectors: new Uint8Array(32) })).toThrow(RangeError)
  })

  it('is not read from anything else', () => {
    const bytes = encodeVectorSet(set)
    const version2 = Uint8Array.from(bytes, (byte, i) => (i === 3 ? 2 : byte))
    const count3 = Uint8Array.from(bytes, (byte, i) => (i === 4 ? 3 : byte))
    for (const other of [new Uint8Array(), bytes.slice(0, 7), bytes.slice(0, -1), version2, count3])
      expect(decodeVectorSet(other)).toBeNull()
  })
})

it('packs as the device does', () => {
  const signs = (seed: number) => Array.from({ length: 256 }, (_, i) => ((i * seed) % 7 < 3 ? 1 : -1))
  const packed = packSigns([signs(3), signs(5)])
  expect(packed.slice(0, 32)).toEqual(packVector(signs(3)))
  expect(packed.slice(32)).toEqual(packVector(signs(5)))
})

import { DIMENSIONS, type Sign } from './projection.ts'

export const PACKED_BYTES = DIMENSIONS / 8

/** Packs into 32 bytes: bit i % 8 (least significant first) of byte i / 8 is set if value i is 1. */
export function packVector(values: readonly number[]): Uint8Array {
  if (values.length !== DIMENSIONS) throw new RangeError(`a vector must have ${DIMENSIONS} values`)
  const packed = new Uint8Array(PACKED_BYTES)
  values.forEach((value, i) => {
    if (value !== 1 && value !== -1) throw new RangeError('a value must be 1 or -1')
    if (value === 1) packed[i >> 3]! |= 1 << (i & 7)
  })
  return packed
}

export function unpackVector(packed: Uint8Array): Sign[] {
  checkLength(packed)
  return Array.from({ length: DIMENSIONS }, (_, i): Sign => ((packed[i >> 3]! >> (i & 7)) & 1 ? 1 : -1))
}

/** Number of the 256 values in which two packed vectors differ. */
export function hammingDistance(left: Uint8Array, right: Uint8Array): number {
  checkLength(left)
  checkLength(right)
  let distance = 0
  for (let i = 0; i < PACKED_BYTES; i++) distance += BITS[left[i]! ^ right[i]!]!
  return distance
}

/** The cosine of two ±1 vectors at this distance: (256 - 2h) / 256. It is 0.75 at 32. */
export function cosineOf(distance: number): number {
  return 1 - distance / (DIMENSIONS / 2)
}

/** Share of values that agree, as scored by the ISCC family (1 minus normalized Hamming distance). It is 0.75 at 64. */
export function agreementOf(distance: number): number {
  return 1 - distance / DIMENSIONS
}

const BITS = /* @__PURE__ */ Uint8Array.from({ length: 256 }, (_, byte) => {
  let bits = 0
  for (let rest = byte; rest > 0; rest &= rest - 1) bits += 1
  return bits
})

function checkLength(packed: Uint8Array): void {
  if (packed.length !== PACKED_BYTES) throw new RangeError(`a packed vector must have ${PACKED_BYTES} bytes`)
}

import type { Sign } from '../projection.ts'

/** Bits in hex, the last value first: bit i is set if value i is 1. */
export function hexOf(values: readonly Sign[]): string {
  let hex = ''
  for (let at = values.length - 4; at >= 0; at -= 4) {
    const nibble = [0, 1, 2, 3].reduce((sum, bit) => sum + (values[at + bit] === 1 ? 1 << bit : 0), 0)
    hex += nibble.toString(16)
  }
  return hex
}

/** The values of a hash in hex, for instance one that was computed elsewhere. Throws a RangeError for other text. */
export function valuesOf(hex: string): Sign[] {
  if (!/^[0-9a-f]{64}$/.test(hex)) throw new RangeError('a PDQ hash must have 64 lowercase hex characters')
  return Array.from(
    { length: 256 },
    (_, at): Sign => ((Number.parseInt(hex[63 - (at >> 2)]!, 16) >> (at & 3)) & 1 ? 1 : -1),
  )
}

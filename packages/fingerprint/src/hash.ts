/** The finalizer of MurmurHash3: every bit of the result depends on every bit of `x`. */
export function mix(x: number): number {
  let h = x ^ (x >>> 16)
  h = Math.imul(h, 0x85ebca6b)
  h ^= h >>> 13
  h = Math.imul(h, 0xc2b2ae35)
  return h ^ (h >>> 16)
}

/** Adds a part to the hash of a sequence; order matters. */
export function join(left: number, right: number): number {
  return mix((Math.imul(left, 0x9e3779b1) + right) | 0)
}

/** The numbers of ristretto255 (RFC 9496 section 4.1), computed from the definition of the curve. */
const P = 2n ** 255n - 19n
const modulo = (value: bigint) => ((value % P) + P) % P

function power(base: bigint, exponent: bigint): bigint {
  if (exponent === 0n) return 1n
  const half = power(modulo(base * base), exponent >> 1n)
  return exponent % 2n === 1n ? modulo(half * base) : half
}

const inverse = (value: bigint) => power(modulo(value), P - 2n)
const ROOT_OF_MINUS_ONE = power(2n, (P - 1n) / 4n)
const D = modulo(-121_665n * inverse(121_666n))

/** The square root that is even. */
function rootOf(value: bigint): bigint {
  const candidate = power(modulo(value), (P + 3n) / 8n)
  const isRoot = modulo(candidate * candidate) === modulo(value)
  const root = isRoot ? candidate : modulo(candidate * ROOT_OF_MINUS_ONE)
  return root % 2n === 0n ? root : P - root
}

export const CONSTANTS = {
  zero: 0n,
  one: 1n,
  minusOne: P - 1n,
  d: D,
  twiceD: modulo(2n * D),
  root: ROOT_OF_MINUS_ONE,
  minusRoot: P - ROOT_OF_MINUS_ONE,
  inverseRootOfAMinusD: rootOf(inverse(-1n - D)),
} as const

/**
 * Verifies proofs of ECVRF-EDWARDS25519-SHA512-ELL2 as RFC 9381 and RFC 9380 write it down, with bigints and SHA-512 of
 * OpenSSL alone: affine points, no tables, no library.
 */
import { createHash } from 'node:crypto'

type Point = readonly [x: bigint, y: bigint]

const P = 2n ** 255n - 19n
const Q = 2n ** 252n + 27742317777372353535851937790883648493n
const SUITE = 4
const mod = (a: bigint) => ((a % P) + P) % P

function power(base: bigint, exponent: bigint): bigint {
  let [result, square] = [1n, mod(base)]
  for (let e = exponent; e > 0n; e >>= 1n) {
    if (e & 1n) result = mod(result * square)
    square = mod(square * square)
  }
  return result
}
function inverse(a: bigint): bigint {
  let [low, high, x, y] = [mod(a), P, 1n, 0n]
  while (low > 1n) {
    const quotient = high / low
    ;[low, high, x, y] = [high - quotient * low, low, y - quotient * x, x]
  }
  return mod(x)
}
const D = mod(-121665n * inverse(121666n))
const I = power(2n, (P - 1n) / 4n)

/** A square root, or null. */
function root(a: bigint): bigint | null {
  const r = power(a, (P + 3n) / 8n)
  return [r, mod(r * I)].find((one) => mod(one * one) === mod(a)) ?? null
}

function add([x1, y1]: Point, [x2, y2]: Point): Point {
  const t = mod(D * mod(x1 * x2) * mod(y1 * y2))
  return [mod((x1 * y2 + y1 * x2) * inverse(1n + t)), mod((y1 * y2 + x1 * x2) * inverse(1n - t))]
}
const negative = ([x, y]: Point): Point => [mod(-x), y]

function times(scalar: bigint, point: Point): Point {
  let [result, doubled]: [Point, Point] = [[0n, 1n], point]
  for (let k = scalar; k > 0n; k >>= 1n) {
    if (k & 1n) result = add(result, doubled)
    doubled = add(doubled, doubled)
  }
  return result
}

const littleEndian = (bytes: Uint8Array) => bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
const bigEndian = (bytes: Uint8Array) => bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
const sha512 = (...parts: Uint8Array[]) => createHash('sha512').update(Buffer.concat(parts)).digest()

function bytesOf([x, y]: Point): Buffer {
  const value = y | ((x & 1n) << 255n)
  return Buffer.from(Array.from({ length: 32 }, (_, i) => Number((value >> BigInt(8 * i)) & 255n)))
}

function pointOf(bytes: Uint8Array): Point {
  const value = littleEndian(bytes)
  const y = value & (2n ** 255n - 1n)
  const x = root((y * y - 1n) * inverse(D * y * y + 1n))
  if (x === null || y >= P) throw new Error('not a point')
  return [(x & 1n) === value >> 255n ? x : mod(-x), y]
}

const BASE = pointOf(Buffer.from(`58${'66'.repeat(31)}`, 'hex'))

/** RFC 9380, section 5.3.1, for 48 bytes of SHA-512 and a tag that fits. */
function expanded(message: Uint8Array): Buffer {
  const tag = Buffer.from(`ECVRF_edwards25519_XMD:SHA-512_ELL2_NU_${String.fromCharCode(SUITE)}`)
  const dst = Buffer.concat([tag, Buffer.from([tag.length])])
  const b0 = sha512(Buffer.alloc(128), message, Buffer.from([0, 48, 0]), dst)
  return sha512(b0, Buffer.from([1]), dst).subarray(0, 48)
}

/** RFC 9380, section 6.7.1 on curve25519, then appendix D.1 to edwards25519, and the cofactor. */
function encodeToCurve(message: Uint8Array): Point {
  const [J, u] = [486662n, mod(bigEndian(expanded(message)))]
  const g = (x: bigint) => mod(x * x * x + J * x * x + x)
  const x1 = mod(-J * inverse(1n + 2n * u * u))
  const first = root(g(x1))
  const [s, y] = first === null ? [mod(-x1 - J), root(g(mod(-x1 - J)))] : [x1, first]
  // The root of the first is odd, that of the second even.
  const t = y === null || (y & 1n) === (first === null ? 0n : 1n) ? y : mod(-y)
  if (t === null || t === 0n) throw new Error('an exceptional case')
  const c = root(-486664n)!
  const v = mod((c & 1n) === 0n ? c : -c)
  return times(8n, [mod(v * s * inverse(t)), mod((s - 1n) * inverse(s + 1n))])
}

/** The hash that a proof proves; null if it proves none. */
export function verified(publicKey: Uint8Array, alpha: Uint8Array, proof: Uint8Array): Buffer | null {
  const [y, gamma] = [pointOf(publicKey), pointOf(proof.subarray(0, 32))]
  const [c, s] = [littleEndian(proof.subarray(32, 48)), littleEndian(proof.subarray(48))]
  if (s >= Q || bytesOf(times(8n, y)).equals(bytesOf([0n, 1n]))) return null
  const h = encodeToCurve(Buffer.concat([publicKey, alpha]))
  const u = add(times(s, BASE), negative(times(c, y)))
  const v = add(times(s, h), negative(times(c, gamma)))
  const points = [y, h, gamma, u, v].map(bytesOf)
  const challenge = sha512(Buffer.from([SUITE, 2]), ...points, Buffer.from([0])).subarray(0, 16)
  if (!challenge.equals(proof.subarray(32, 48))) return null
  return sha512(Buffer.from([SUITE, 3]), bytesOf(times(8n, gamma)), Buffer.from([0]))
}

/**
 * ECVRF-EDWARDS25519-SHA512-ELL2 of RFC 9381 (suite 0x04): a hash that only the holder of a secret can compute, and that
 * everybody can verify with the public key. One input has one hash.
 *
 * It is not post-quantum: a quantum computer would read the secret from the public key, and compute hashes with it. A false
 * proof stays out of reach, because it needs a hash that hits a challenge of 128 bits.
 *
 * Bigint arithmetic does not take the same time for every secret. Prove where nobody can measure single calls, and hash
 * nothing with it whose disclosure would forge anything.
 *
 * @module
 */
import { ed25519, ed25519_hasher } from '@noble/curves/ed25519.js'
import { bytesToNumberLE, numberToBytesLE } from '@noble/curves/utils.js'
import { sha512 } from '@noble/hashes/sha2.js'
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { checkBytes, hasBytes } from '../checks.ts'

type Point = InstanceType<typeof ed25519.Point>

/** The secret is a seed as of Ed25519, and the public key an Ed25519 point. */
export const VRF = { seedBytes: 32, publicKeyBytes: 32, proofBytes: 80, hashBytes: 64 } as const

const SUITE = 0x04
const POINT_BYTES = 32
const CHALLENGE_BYTES = 16
const ENCODE_TO_CURVE = 'ECVRF_edwards25519_XMD:SHA-512_ELL2_NU_\u0004'

/** Section 5.4.1.2. The salt is the public key. */
function encodeToCurve(publicKey: Uint8Array, alpha: Uint8Array): Point {
  return ed25519_hasher.encodeToCurve(concatBytes(publicKey, alpha), { DST: utf8ToBytes(ENCODE_TO_CURVE) })
}

/** Section 5.4.3. */
function challengeOf(points: readonly Uint8Array[]): Uint8Array {
  return sha512(concatBytes(Uint8Array.of(SUITE, 0x02), ...points, Uint8Array.of(0))).subarray(0, CHALLENGE_BYTES)
}

/** Section 5.2, of a proof that was made here or verified. */
function hashOf(gamma: Point): Uint8Array {
  return sha512(concatBytes(Uint8Array.of(SUITE, 0x03), gamma.clearCofactor().toBytes(), Uint8Array.of(0)))
}

/** Null for bytes that do not name a point in its only form. */
function pointOf(bytes: Uint8Array): Point | null {
  try {
    return ed25519.Point.fromBytes(bytes)
  } catch {
    return null
  }
}

/** Section 5.4.5: a key of small order would give every input the same hash. */
function keyOf(publicKey: unknown): Point | null {
  if (!hasBytes(publicKey, VRF.publicKeyBytes)) return null
  const point = pointOf(publicKey)
  return point && !point.isSmallOrder() ? point : null
}

/** Whether the value is a public key to verify with. */
export function isVrfPublicKey(value: unknown): boolean {
  return keyOf(value) !== null
}

export interface Proved {
  readonly proof: Uint8Array
  readonly hash: Uint8Array
}

/** What the holder of the secret does. */
export interface VrfProver {
  readonly publicKey: Uint8Array
  /** The hash alone, at half of the cost. */
  hash(alpha: Uint8Array): Uint8Array
  /** Deterministic: an input has one proof. */
  prove(alpha: Uint8Array): Proved
}

/** Section 5.1, with the nonce of section 5.4.2.2. */
export function vrfProver(seed: Uint8Array): VrfProver {
  checkBytes('vrf seed', seed, VRF.seedBytes)
  const { scalar, prefix, pointBytes: publicKey } = ed25519.utils.getExtendedPublicKey(new Uint8Array(seed))
  const { BASE, Fn } = ed25519.Point
  return {
    publicKey,

    hash: (alpha) => hashOf(encodeToCurve(publicKey, alpha).multiply(scalar)),

    prove(alpha) {
      const h = encodeToCurve(publicKey, alpha)
      const hBytes = h.toBytes()
      const gamma = h.multiply(scalar)
      const nonce = Fn.create(bytesToNumberLE(sha512(concatBytes(prefix, hBytes))))
      const points = [gamma, BASE.multiply(nonce), h.multiply(nonce)].map((point) => point.toBytes())
      const challenge = challengeOf([publicKey, hBytes, ...points])
      const s = Fn.add(nonce, Fn.mul(bytesToNumberLE(challenge), scalar))
      const proof = concatBytes(points[0] ?? new Uint8Array(), challenge, numberToBytesLE(s, Fn.BYTES))
      return { proof, hash: hashOf(gamma) }
    },
  }
}

/** Section 5.3, with validation of the key: the hash that a proof proves for an input; null if it proves none. */
export function verifyVrf(publicKey: Uint8Array, alpha: Uint8Array, proof: Uint8Array): Uint8Array | null {
  const y = keyOf(publicKey)
  const gamma = hasBytes(proof, VRF.proofBytes) ? pointOf(proof.subarray(0, POINT_BYTES)) : null
  if (!y || !gamma) return null
  const { BASE, Fn } = ed25519.Point
  const challenge = proof.subarray(POINT_BYTES, POINT_BYTES + CHALLENGE_BYTES)
  const [c, s] = [bytesToNumberLE(challenge), bytesToNumberLE(proof.subarray(POINT_BYTES + CHALLENGE_BYTES))]
  if (s >= Fn.ORDER) return null
  const h = encodeToCurve(publicKey, alpha)
  const u = BASE.multiplyUnsafe(s).subtract(y.multiplyUnsafe(c))
  const v = h.multiplyUnsafe(s).subtract(gamma.multiplyUnsafe(c))
  const expected = challengeOf([publicKey, ...[h, gamma, u, v].map((point) => point.toBytes())])
  return expected.every((byte, i) => byte === challenge[i]) ? hashOf(gamma) : null
}

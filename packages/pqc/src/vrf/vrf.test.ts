import { ed25519 } from '@noble/curves/ed25519.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { describe, expect, it } from 'vitest'
/** Examples 19 to 21 of RFC 9381, appendix B.4, every byte of them as two other implementations test them. */
import vectors from './rfc9381-vectors.json'
import { isVrfPublicKey, VRF, verifyVrf, vrfProver } from './vrf.ts'

const prover = vrfProver(new Uint8Array(32).fill(7))
const alpha = new TextEncoder().encode('a name')
const { proof, hash } = prover.prove(alpha)
const ORDER = ed25519.Point.Fn.ORDER
const IDENTITY = bytesToHex(ed25519.Point.ZERO.toBytes())
/** RFC 8032 points of order 1, 2, 4 and 8, and forms of them that are not the only one. */
const SMALL = [
  IDENTITY,
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '0000000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
]

function changed(bytes: Uint8Array, at: number): Uint8Array {
  const copy = new Uint8Array(bytes)
  copy[at]! ^= 1
  return copy
}

describe('the published vectors', () => {
  it.each(vectors)('of the key $pk', ({ sk, pk, alpha: input, pi, beta }) => {
    const made = vrfProver(hexToBytes(sk))
    expect(bytesToHex(made.publicKey)).toBe(pk)
    const proved = made.prove(hexToBytes(input))
    expect(bytesToHex(proved.proof)).toBe(pi)
    expect(bytesToHex(proved.hash)).toBe(beta)
    expect(bytesToHex(made.hash(hexToBytes(input)))).toBe(beta)
    const verified = verifyVrf(hexToBytes(pk), hexToBytes(input), hexToBytes(pi))
    expect(bytesToHex(verified ?? new Uint8Array())).toBe(beta)
  })
})

describe('a proof', () => {
  it('has the stated sizes, and proves its hash again each time', () => {
    expect([proof.length, hash.length, prover.publicKey.length]).toEqual([
      VRF.proofBytes,
      VRF.hashBytes,
      VRF.publicKeyBytes,
    ])
    expect(prover.prove(alpha).proof).toEqual(proof)
    expect(verifyVrf(prover.publicKey, alpha, proof)).toEqual(hash)
  })

  it('proves nothing with another input or key, or any changed byte', () => {
    expect(verifyVrf(prover.publicKey, new TextEncoder().encode('a namf'), proof)).toBeNull()
    expect(verifyVrf(vrfProver(new Uint8Array(32)).publicKey, alpha, proof)).toBeNull()
    for (let at = 0; at < proof.length; at++)
      expect(verifyVrf(prover.publicKey, alpha, changed(proof, at)), String(at)).toBeNull()
  })

  it('of another length is none', () => {
    expect(verifyVrf(prover.publicKey, alpha, proof.subarray(1))).toBeNull()
    expect(verifyVrf(prover.publicKey, alpha, new Uint8Array([...proof, 0]))).toBeNull()
  })

  it('has one form: a response of the group order or more is refused', () => {
    const response = proof.subarray(48).reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n) + ORDER
    const again = Uint8Array.from({ length: 32 }, (_, i) => Number((response >> BigInt(8 * i)) & 255n))
    expect(verifyVrf(prover.publicKey, alpha, new Uint8Array([...proof.subarray(0, 48), ...again]))).toBeNull()
  })

  it('under a key of small order, or another form of a point, is refused', () => {
    for (const key of SMALL) {
      expect(isVrfPublicKey(hexToBytes(key)), key).toBe(false)
      expect(verifyVrf(hexToBytes(key), alpha, proof), key).toBeNull()
    }
    expect(isVrfPublicKey(prover.publicKey)).toBe(true)
    expect(isVrfPublicKey(prover.publicKey.subarray(1))).toBe(false)
  })
})

it('a seed of another length is refused', () => {
  expect(() => vrfProver(new Uint8Array(31))).toThrow('vrf seed')
})

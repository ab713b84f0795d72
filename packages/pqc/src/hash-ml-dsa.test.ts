import { sha3_384 as nobleSha3_384, sha3_256 } from '@noble/hashes/sha3.js'
import { ml_dsa65 } from '@noble/post-quantum/ml-dsa.js'
import { describe, expect, it } from 'vitest'
import { hashMlDsa65, mlDsa65, sha3_384 } from './index.ts'

const seed = new Uint8Array(32).fill(3)
const message = new TextEncoder().encode('a message of any length')
const digest = sha3_384(message)
const { publicKey, secretKey } = ml_dsa65.keygen(seed)
const flip = (bytes: Uint8Array, at: number) => bytes.map((byte, i) => (i === at ? byte ^ 1 : byte))
const prehash = ml_dsa65.prehash(nobleSha3_384)

describe('HashML-DSA-65 with SHA3-384', () => {
  it('matches what noble signs and verifies over the message', async () => {
    expect(prehash.verify(await hashMlDsa65.sign(seed, digest), message, publicKey)).toBe(true)
    expect(await hashMlDsa65.verify(publicKey, digest, prehash.sign(message, secretKey))).toBe(true)
  })

  it('hedges signatures', async () => {
    expect(await hashMlDsa65.sign(seed, digest)).not.toEqual(await hashMlDsa65.sign(seed, digest))
  })

  it('is not valid as a pure signature, nor vice versa', async () => {
    const hashed = await hashMlDsa65.sign(seed, digest)
    const formatted = new Uint8Array([1, 0, 6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 9, ...digest])
    for (const text of [message, digest, formatted]) {
      expect(await mlDsa65.verify(publicKey, text, hashed)).toBe(false)
      expect(await hashMlDsa65.verify(publicKey, digest, await mlDsa65.sign(seed, text))).toBe(false)
    }
  })

  it('rejects a signature with a context or over another hash', async () => {
    const sha3_256Prehash = ml_dsa65.internal.sign(
      new Uint8Array([1, 0, 6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 8, ...sha3_256(message)]),
      secretKey,
    )
    expect(await hashMlDsa65.verify(publicKey, digest, sha3_256Prehash)).toBe(false)
    const underContext = prehash.sign(message, secretKey, { context: new Uint8Array([1]) })
    expect(await hashMlDsa65.verify(publicKey, digest, underContext)).toBe(false)
  })

  it('is false for a changed digest, key or signature', async () => {
    const signature = await hashMlDsa65.sign(seed, digest)
    expect(await hashMlDsa65.verify(publicKey, digest, signature)).toBe(true)
    expect(await hashMlDsa65.verify(publicKey, flip(digest, 0), signature)).toBe(false)
    expect(await hashMlDsa65.verify(publicKey, flip(digest, 47), signature)).toBe(false)
    expect(await hashMlDsa65.verify(flip(publicKey, 40), digest, signature)).toBe(false)
    expect(await hashMlDsa65.verify(publicKey, digest, flip(signature, 50))).toBe(false)
  })

  it('is false for wrong lengths and types, even if the signature matches', async () => {
    for (const text of [new Uint8Array(), digest.subarray(1), new Uint8Array([...digest, 0])]) {
      const fitting = ml_dsa65.internal.sign(
        new Uint8Array([1, 0, 6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 9, ...text]),
        secretKey,
      )
      expect(await hashMlDsa65.verify(publicKey, text, fitting)).toBe(false)
    }
    const signature = await hashMlDsa65.sign(seed, digest)
    expect(await hashMlDsa65.verify(publicKey.subarray(1), digest, signature)).toBe(false)
    expect(await hashMlDsa65.verify(publicKey, digest, signature.subarray(1))).toBe(false)
    expect(await hashMlDsa65.verify(publicKey, 'x' as never, signature)).toBe(false)
  })

  it('refuses to sign with a wrong seed or digest length', async () => {
    await expect(hashMlDsa65.sign(new Uint8Array(31), digest)).rejects.toThrow(
      new TypeError('hash-ml-dsa-65 seed: expected 32 bytes, got 31'),
    )
    await expect(hashMlDsa65.sign(seed, message)).rejects.toThrow(
      new TypeError('hash-ml-dsa-65 digest: expected 48 bytes, got 23'),
    )
  })
})

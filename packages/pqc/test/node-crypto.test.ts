/** OpenSSL through node:crypto as a third implementation. */
import * as openssl from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { mlDsa65, mlKem768, randomSeed, sha3_384, sha3_384Async } from '../src/index.ts'
import { nobleMlDsa65, nobleMlKem768 } from '../src/noble.ts'
import { nativeSupports } from '../src/subtle.ts'

// RFC 9881 and RFC 9935: PKCS #8 holding the seed alone, [0] IMPLICIT OCTET STRING; SPKI holding the raw public key.
const DSA_PKCS8 = Buffer.from('3034020100300b060960864801650304031204228020', 'hex')
const KEM_PKCS8 = Buffer.from('3054020100300b060960864801650304040204428040', 'hex')

function privateKeyOf(prefix: Buffer, seed: Uint8Array): openssl.KeyObject {
  return openssl.createPrivateKey({ key: Buffer.concat([prefix, seed]), format: 'der', type: 'pkcs8' })
}

function rawPublicKeyOf(key: openssl.KeyObject, length: number): Uint8Array {
  return new Uint8Array(openssl.createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-length))
}

describe.each([mlDsa65, nobleMlDsa65])('ML-DSA-65, $backend against OpenSSL', (backend) => {
  const seed = randomSeed(32)
  const key = privateKeyOf(DSA_PKCS8, seed)
  const message = new TextEncoder().encode('to be signed')

  it('derives the same public key', async () => {
    expect(key.asymmetricKeyType).toBe('ml-dsa-65')
    expect(await backend.publicKeyOf(seed)).toEqual(rawPublicKeyOf(key, 1952))
  })

  it('verifies its signatures and makes signatures it verifies', async () => {
    const publicKey = await backend.publicKeyOf(seed)
    const theirs = new Uint8Array(openssl.sign(null, message, key))
    expect(await backend.verify(publicKey, message, theirs)).toBe(true)
    expect(await backend.verify(publicKey, message.subarray(1), theirs)).toBe(false)
    const ours = await backend.sign(seed, message)
    expect(openssl.verify(null, message, openssl.createPublicKey(key), ours)).toBe(true)
    expect(openssl.verify(null, message.subarray(1), openssl.createPublicKey(key), ours)).toBe(false)
  })
})

describe.each([mlKem768, nobleMlKem768])('ML-KEM-768, $backend against OpenSSL', (backend) => {
  const seed = randomSeed(64)
  const key = privateKeyOf(KEM_PKCS8, seed)

  it('derives the same public key', async () => {
    expect(key.asymmetricKeyType).toBe('ml-kem-768')
    expect(await backend.publicKeyOf(seed)).toEqual(rawPublicKeyOf(key, 1184))
  })

  it('agrees on the secret in both directions, and on implicit rejection', async () => {
    const theirs = openssl.encapsulate(openssl.createPublicKey(key))
    expect(await backend.decapsulate(seed, new Uint8Array(theirs.ciphertext))).toEqual(new Uint8Array(theirs.sharedKey))
    const ours = await backend.encapsulate(await backend.publicKeyOf(seed))
    expect(new Uint8Array(openssl.decapsulate(key, ours.ciphertext))).toEqual(ours.sharedSecret)
    ours.ciphertext.set([(ours.ciphertext[9] ?? 0) ^ 1], 9)
    expect(await backend.decapsulate(seed, ours.ciphertext)).toEqual(
      new Uint8Array(openssl.decapsulate(key, ours.ciphertext)),
    )
  })
})

it('SHA3-384 is native here and agrees with OpenSSL', async () => {
  expect(nativeSupports('SHA3-384')).toBe(true)
  const bytes = randomSeed(1000)
  const expected = new Uint8Array(openssl.createHash('sha3-384').update(bytes).digest())
  expect(await sha3_384Async(bytes)).toEqual(expected)
  expect(sha3_384(bytes)).toEqual(expected)
})

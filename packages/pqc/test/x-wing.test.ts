/** X-Wing built from its description with node:crypto (OpenSSL), as an implementation that shares no code. */
import * as openssl from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { randomSeed, xWing } from '../src/index.ts'
import { nobleXWing } from '../src/x-wing/noble.ts'

// RFC 9935 and RFC 8410: PKCS #8 with the private key, and SPKI with the public key.
const ML_KEM_PKCS8 = Buffer.from('3054020100300b060960864801650304040204428040', 'hex')
const ML_KEM_SPKI = Buffer.from('308204b2300b0609608648016503040402038204a100', 'hex')
const X25519_PKCS8 = Buffer.from('302e020100300506032b656e04220420', 'hex')
const X25519_SPKI = Buffer.from('302a300506032b656e032100', 'hex')
const LABEL = Buffer.from('5c2e2f2f5e5c', 'hex')

const privateKeyOf = (prefix: Buffer, bytes: Uint8Array) =>
  openssl.createPrivateKey({ key: Buffer.concat([prefix, bytes]), format: 'der', type: 'pkcs8' })
const publicKeyOf = (prefix: Buffer, bytes: Uint8Array) =>
  openssl.createPublicKey({ key: Buffer.concat([prefix, bytes]), format: 'der', type: 'spki' })
const rawOf = (key: openssl.KeyObject, length: number) =>
  openssl.createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-length)

function keysOf(seed: Uint8Array) {
  const expanded = openssl.createHash('shake256', { outputLength: 96 }).update(seed).digest()
  const mlKem = privateKeyOf(ML_KEM_PKCS8, expanded.subarray(0, 64))
  const x25519 = privateKeyOf(X25519_PKCS8, expanded.subarray(64))
  return { mlKem, x25519, publicKey: Buffer.concat([rawOf(mlKem, 1184), rawOf(x25519, 32)]) }
}

function combined(...secretsCiphertextAndKey: Uint8Array[]): Uint8Array {
  const hash = openssl.createHash('sha3-256')
  for (const part of [...secretsCiphertextAndKey, LABEL]) hash.update(part)
  return new Uint8Array(hash.digest())
}

function encapsulated(publicKey: Uint8Array) {
  const mlKem = openssl.encapsulate(publicKeyOf(ML_KEM_SPKI, publicKey.subarray(0, 1184)))
  const x25519 = publicKey.subarray(1184)
  const ephemeral = openssl.generateKeyPairSync('x25519').privateKey
  const agreed = openssl.diffieHellman({ privateKey: ephemeral, publicKey: publicKeyOf(X25519_SPKI, x25519) })
  const ephemeralPublic = rawOf(ephemeral, 32)
  return {
    ciphertext: new Uint8Array(Buffer.concat([mlKem.ciphertext, ephemeralPublic])),
    sharedSecret: combined(mlKem.sharedKey, agreed, ephemeralPublic, x25519),
  }
}

function decapsulated(seed: Uint8Array, ciphertext: Uint8Array): Uint8Array {
  const { mlKem, x25519, publicKey } = keysOf(seed)
  const ephemeral = ciphertext.subarray(1088)
  const agreed = openssl.diffieHellman({ privateKey: x25519, publicKey: publicKeyOf(X25519_SPKI, ephemeral) })
  return combined(openssl.decapsulate(mlKem, ciphertext.subarray(0, 1088)), agreed, ephemeral, publicKey.subarray(1184))
}

describe.each([xWing, nobleXWing])('X-Wing, $backend against OpenSSL', (backend) => {
  const seed = randomSeed(32)

  it('derives the same public key', async () => {
    expect(await backend.publicKeyOf(seed)).toEqual(new Uint8Array(keysOf(seed).publicKey))
  })

  it('agrees on the secret in both directions, and on the secret of a changed ciphertext', async () => {
    const publicKey = await backend.publicKeyOf(seed)
    const theirs = encapsulated(publicKey)
    expect(await backend.decapsulate(seed, theirs.ciphertext)).toEqual(theirs.sharedSecret)
    const { ciphertext, sharedSecret } = await backend.encapsulate(publicKey)
    expect(decapsulated(seed, ciphertext)).toEqual(sharedSecret)
    for (const at of [9, 1100]) {
      const changed = new Uint8Array(ciphertext)
      changed[at] = (changed[at] ?? 0) ^ 1
      const secret = await backend.decapsulate(seed, changed)
      expect(secret).toEqual(decapsulated(seed, changed))
      expect(secret).not.toEqual(sharedSecret)
    }
  })
})

import { shake256 } from '@noble/hashes/sha3.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { expect, it } from 'vitest'
import { mlKem768, mlKem768SeedOf } from '../index.ts'
import vectors from './draft-vectors.json'
import { xWingCiphertextParts, xWingSecretOf } from './parts.ts'

/** RFC 8410, section 7: the DER prefix of a private key of 32 bytes. */
const PKCS8 = '302e020100300506032b656e04220420'

async function agreed(scalar: Uint8Array, ephemeral: Uint8Array): Promise<Uint8Array> {
  const pkcs8 = hexToBytes(PKCS8 + bytesToHex(scalar))
  const privateKey = await crypto.subtle.importKey('pkcs8', pkcs8, 'X25519', false, ['deriveBits'])
  const publicKey = await crypto.subtle.importKey('raw', new Uint8Array(ephemeral), 'X25519', true, [])
  // The types of Workers call it `$public`.
  const algorithm = { name: 'X25519', public: publicKey } as unknown as Parameters<SubtleCrypto['deriveBits']>[0]
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, privateKey, 256))
}

it.each(vectors)('two separate keys open the vector of the draft for seed $seed', async (vector) => {
  const seed = hexToBytes(vector.seed)
  const { mlKem, ephemeral } = xWingCiphertextParts(hexToBytes(vector.ct))
  const secret = xWingSecretOf({
    mlKemSecret: await mlKem768.decapsulate(mlKem768SeedOf(seed), mlKem),
    x25519Secret: await agreed(shake256(seed, { dkLen: 96 }).subarray(64), ephemeral),
    ephemeral,
    x25519PublicKey: hexToBytes(vector.pk).subarray(1184),
  })
  expect(bytesToHex(secret)).toBe(vector.ss)
})

it('refuses other lengths, and points of small order', () => {
  expect(() => xWingCiphertextParts(new Uint8Array(1088))).toThrow('x-wing ciphertext: expected 1120 bytes, got 1088')
  expect(() => xWingCiphertextParts(new Uint8Array(1120))).toThrow('x25519 ephemeral: a point of small order')
})

import { encodeBase64url } from '@svc/protocol/base/base64url'
import { wrappedKeySchema } from '@svc/protocol/notes/notes'
import { describe, expect, it } from 'vitest'
import { Identity } from '../identity/identity.ts'
import { decrypt, encrypt, newDataKey, unwrapKey, wrapKey } from './cipher.ts'

const seedsOf = (byte: number) => ({ signing: new Uint8Array(32).fill(byte), kem: new Uint8Array(64).fill(byte) })
const alice = await Identity.fromSeeds(seedsOf(1))
const bob = await Identity.fromSeeds(seedsOf(2))
const carol = await Identity.fromSeeds(seedsOf(3))
const aad = new Uint8Array(48).fill(1)
const key = newDataKey()

describe('a ciphertext', () => {
  it('gives what was written, and has a nonce and bytes of its own each time', async () => {
    const plaintext = new TextEncoder().encode('eggs')
    const [one, other] = [await encrypt(plaintext, key, aad), await encrypt(plaintext, key, aad)]
    expect(await decrypt(one, key, aad)).toEqual(plaintext)
    expect(one.ciphertext).toHaveLength(4 + 16)
    expect(encodeBase64url(one.nonce)).not.toBe(encodeBase64url(other.nonce))
    expect(one.ciphertext).not.toEqual(other.ciphertext)
  })

  it('is refused with another key, other additional data, or a byte changed, and does not say which', async () => {
    const sealed = await encrypt(new TextEncoder().encode('eggs'), key, aad)
    const error = 'The note was modified, or the key is wrong'
    await expect(decrypt(sealed, newDataKey(), aad)).rejects.toThrow(error)
    await expect(decrypt(sealed, key, new Uint8Array(48))).rejects.toThrow(error)
    await expect(decrypt({ ...sealed, nonce: new Uint8Array(12) }, key, aad)).rejects.toThrow(error)
    await expect(decrypt({ ...sealed, ciphertext: sealed.ciphertext.subarray(1) }, key, aad)).rejects.toThrow(error)
    for (const at of [0, 3, 4, 19]) {
      const ciphertext = sealed.ciphertext.slice()
      ciphertext[at]! ^= 0x80
      await expect(decrypt({ ...sealed, ciphertext }, key, aad)).rejects.toThrow(error)
    }
  })
})

describe('a data key', () => {
  it('is 32 bytes that nobody has had before', () => {
    const keys = Array.from({ length: 50 }, () => newDataKey())
    expect(keys.every(({ length }) => length === 32)).toBe(true)
    expect(new Set(keys.map(encodeBase64url)).size).toBe(50)
  })

  it('goes to each of its readers, in the form of the record', async () => {
    const wrapped = [await wrapKey(key, alice.kemPublicKeyB64u), await wrapKey(key, bob.kemPublicKeyB64u)]
    expect(wrapped.map((one) => wrappedKeySchema.safeParse(one).success)).toEqual([true, true])
    expect(await unwrapKey(wrapped, [alice], aad)).toEqual(key)
    expect(await unwrapKey(wrapped, [bob], aad)).toEqual(key)
    expect(await unwrapKey(wrapped, [carol, bob], aad)).toEqual(key)
  })

  it('goes to nobody else', async () => {
    const wrapped = [await wrapKey(key, alice.kemPublicKeyB64u)]
    const nobody = 'The note is not encrypted for any of these keys'
    await expect(unwrapKey(wrapped, [bob, carol], aad)).rejects.toThrow(nobody)
    await expect(unwrapKey(wrapped, [], aad)).rejects.toThrow(nobody)
    await expect(unwrapKey([], [alice], aad)).rejects.toThrow(nobody)
  })

  it('cannot be opened by a reader it was not sealed for', async () => {
    const forAlice = await wrapKey(key, alice.kemPublicKeyB64u)
    const { kemKeyId } = await wrapKey(key, bob.kemPublicKeyB64u)
    await expect(unwrapKey([{ ...forAlice, kemKeyId }], [bob], aad)).rejects.toThrow()
  })

  it('is not wrapped the same twice', async () => {
    const [one, other] = [await wrapKey(key, alice.kemPublicKeyB64u), await wrapKey(key, alice.kemPublicKeyB64u)]
    expect(one.kemKeyId).toBe(other.kemKeyId)
    expect(one.kemCiphertextB64u).not.toBe(other.kemCiphertextB64u)
    expect(one.wrappedB64u).not.toBe(other.wrappedB64u)
  })
})

import { encodeBase64url } from '@svc/protocol/base/base64url'
import { wrappedKeySchema } from '@svc/protocol/notes/notes'
import { describe, expect, it } from 'vitest'
import { Identity } from '../identity/identity.ts'
import { decrypt, encrypt, newDataKey, pad, unpad, unwrapKey, wrapKey } from './cipher.ts'

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

describe('padding', () => {
  it('gives back what was padded, whatever it ends with', () => {
    for (const end of [[], [0], [0x80], [0x80, 0], [0, 0x80], [0x80, 0, 0, 0], [0xff]]) {
      const bytes = new Uint8Array([1, 2, ...end])
      expect(unpad(pad(bytes))).toEqual(bytes)
    }
    expect(unpad(pad(new Uint8Array()))).toEqual(new Uint8Array())
    expect(unpad(pad(new Uint8Array(255)))).toEqual(new Uint8Array(255))
  })

  it('is never one byte string for two', () => {
    const texts = [[], [0], [0, 0], [0x80], [0x80, 0], [0, 0x80]].map((bytes) => new Uint8Array(bytes))
    expect(new Set(texts.map((bytes) => encodeBase64url(pad(bytes)))).size).toBe(texts.length)
  })

  it.each([
    [0, 256],
    [255, 256],
    [256, 272],
    [271, 272],
    [272, 288],
    [511, 512],
    [512, 544],
    [1_023, 1_024],
    [1_024, 1_088],
    [65_535, 65_536],
    [65_536, 67_584],
    [100_000, 100_352],
    [704_511, 704_512],
  ])('of %d bytes has the length of Padmé’s, %d', (length, padded) => {
    expect(pad(new Uint8Array(length))).toHaveLength(padded)
  })

  it('never costs more than an eighth, and has few lengths', () => {
    const lengths = new Set<number>()
    for (let length = 256; length < 20_000; length++) {
      const padded = pad(new Uint8Array(length)).length
      expect(padded).toBeGreaterThan(length)
      expect(padded).toBeLessThanOrEqual((length + 1) * 1.125)
      lengths.add(padded)
    }
    expect(lengths.size).toBeLessThan(160)
  })

  it.each([[[]], [[0, 0, 0]], [[1, 2, 3]], [[0x80, 1]], [[0x81, 0, 0]]])('that is not so is refused: %j', (bytes) => {
    expect(() => unpad(new Uint8Array(bytes))).toThrow('The padding of the note is invalid')
  })
})

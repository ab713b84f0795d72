import { encodeBase64url } from '@svc/protocol/base/base64url'
import { noteKeyHash } from '@svc/protocol/notes/data-key'
import { type WrappedKey, wrappedKeySchema } from '@svc/protocol/notes/notes'
import { describe, expect, it } from 'vitest'
import { Identity } from '../identity/identity.ts'
import { decrypt, encrypt, type KeyedStatement, newDataKey, unwrapKey, wrapKey } from './cipher.ts'

const seedsOf = (byte: number) => ({ signing: new Uint8Array(32).fill(byte), kem: new Uint8Array(32).fill(byte) })
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

const place = { realm: 'https://core.test', did: alice.did, noteId: 'n1' }
const wrapFor = (...readers: readonly Identity[]) => Promise.all(readers.map((reader) => wrapKey(key, reader, place)))
const statementOf = (wrappedKeys: readonly WrappedKey[], changed: object = {}): KeyedStatement => {
  const { realm, did, noteId } = { ...place, ...changed }
  const about = { realm, did, header: { noteId }, aadB64u: encodeBase64url(aad), keyHash: noteKeyHash(key) }
  return { ...about, wrappedKeys: [...wrappedKeys] }
}

describe('a data key', () => {
  it('is 32 bytes that nobody has had before', () => {
    const keys = Array.from({ length: 50 }, () => newDataKey())
    expect(keys.every(({ length }) => length === 32)).toBe(true)
    expect(new Set(keys.map(encodeBase64url)).size).toBe(50)
  })

  it('goes to each of its readers, in the form of the record', async () => {
    const wrapped = await wrapFor(alice, bob)
    expect(wrapped.map((one) => wrappedKeySchema.safeParse(one).success)).toEqual([true, true])
    for (const readers of [[alice], [bob], [carol, bob]])
      expect(await unwrapKey(statementOf(wrapped), readers)).toEqual(key)
  })

  it('goes to nobody else', async () => {
    const statement = statementOf(await wrapFor(alice))
    const nobody = 'The note is not encrypted for any of these keys'
    await expect(unwrapKey(statement, [bob, carol])).rejects.toThrow(nobody)
    await expect(unwrapKey(statement, [])).rejects.toThrow(nobody)
    await expect(unwrapKey(statementOf([]), [alice])).rejects.toThrow(nobody)
  })

  it('cannot be opened by a reader it was not sealed for', async () => {
    const [forAlice, forBob] = await wrapFor(alice, bob)
    const moved = statementOf([{ ...forAlice!, kemKeyId: forBob!.kemKeyId }])
    await expect(unwrapKey(moved, [bob])).rejects.toThrow('was modified')
  })

  it.each([{ realm: 'https://core.other.test' }, { did: bob.did }, { noteId: 'n2' }])(
    'cannot be opened as that of another note: %j',
    async (changed) => {
      const wrapped = await wrapFor(alice)
      await expect(unwrapKey(statementOf(wrapped, changed), [alice])).rejects.toThrow('was modified')
    },
  )

  it.each(['kemCiphertextB64u', 'ephemeralB64u'] as const)('needs the %s that it was wrapped with', async (member) => {
    const [one, other] = await wrapFor(alice, alice)
    const mixed = { ...one!, [member]: other![member] }
    await expect(unwrapKey(statementOf([mixed]), [alice])).rejects.toThrow('was modified')
  })

  it('is not wrapped the same twice', async () => {
    const [one, other] = await wrapFor(alice, alice)
    expect(one!.kemKeyId).toBe(other!.kemKeyId)
    for (const member of ['kemCiphertextB64u', 'ephemeralB64u', 'wrappedB64u'] as const)
      expect(one![member]).not.toBe(other![member])
  })
})

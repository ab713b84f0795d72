/** What notes are encrypted with, done again with OpenSSL from the page that describes it. */
import * as openssl from 'node:crypto'
import { aeskwp } from '@noble/ciphers/aes.js'
import { bytesOf, encodeBase64url } from '@svc/protocol/base/base64url'
import { ciphertextOf, hybridCiphertextOf } from '@svc/protocol/base/key-agreement'
import { describe, expect, it } from 'vitest'
import { Identity } from '../src/identity/identity.ts'
import { openChunks, sealAttachment } from '../src/notes/attachment-cipher.ts'
import { NoteFiles } from '../src/notes/attachments.ts'
import { decrypt, encrypt, type KeyedStatement, unwrapKey, wrapKey } from '../src/notes/cipher.ts'
import type { Transport } from '../src/transport/transport.ts'

const CHUNK = 65_536
const LABEL = 'svc/dek-wrap/v2'
const KWP_IV = Buffer.from('a65959a6', 'hex')
const hex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'))
const raw = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const wrapCipher = (kek: Uint8Array) => `id-aes${kek.length * 8}-wrap-pad` as 'aes-256-cbc'

function kwpWrap(kek: Uint8Array, key: Uint8Array): Buffer {
  const cipher = openssl.createCipheriv(wrapCipher(kek), kek, KWP_IV)
  return Buffer.concat([cipher.update(key), cipher.final()])
}

function kwpUnwrap(kek: Uint8Array, wrapped: Uint8Array): Buffer {
  const cipher = openssl.createDecipheriv(wrapCipher(kek), kek, KWP_IV)
  return Buffer.concat([cipher.update(wrapped), cipher.final()])
}

function gcmSeal(key: Uint8Array, nonce: Uint8Array, plaintext: Uint8Array, aad?: Uint8Array): Uint8Array {
  const cipher = openssl.createCipheriv('aes-256-gcm', key, nonce)
  if (aad) cipher.setAAD(aad)
  return new Uint8Array(Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]))
}

function gcmOpen(key: Uint8Array, nonce: Uint8Array, sealed: Uint8Array, aad?: Uint8Array): Buffer {
  const cipher = openssl.createDecipheriv('aes-256-gcm', key, nonce)
  if (aad) cipher.setAAD(aad)
  cipher.setAuthTag(sealed.subarray(-16))
  return Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()])
}

const sha3 = (...parts: Uint8Array[]) => openssl.createHash('sha3-384').update(Buffer.concat(parts)).digest()

const seed = new Uint8Array(32).fill(7)
const alice = await Identity.fromSeeds({ signing: seed, kem: seed })
const place = { realm: 'https://core.test', did: alice.did, noteId: 'n1' }
const dataKey = Uint8Array.from({ length: 32 }, (_, i) => i)
const aad = new Uint8Array(48).fill(9)

// RFC 9935 and RFC 8410: PKCS #8 with the private key, and SPKI with the public key.
const ML_KEM_PKCS8 = '3054020100300b060960864801650304040204428040'
const ML_KEM_SPKI = '308204b2300b0609608648016503040402038204a100'
const X25519_PKCS8 = '302e020100300506032b656e04220420'
const X25519_SPKI = '302a300506032b656e032100'
const privateKeyOf = (prefix: string, bytes: Uint8Array) =>
  openssl.createPrivateKey({ key: Buffer.concat([hex(prefix), bytes]), format: 'der', type: 'pkcs8' })
const publicKeyOf = (prefix: string, bytes: Uint8Array) =>
  openssl.createPublicKey({ key: Buffer.concat([hex(prefix), bytes]), format: 'der', type: 'spki' })
const x25519Of = (privateKey: openssl.KeyObject, bytes: Uint8Array) =>
  openssl.diffieHellman({ privateKey, publicKey: publicKeyOf(X25519_SPKI, bytes) })

/** X-Wing's shared secret of the two, as its draft writes it. */
function combined(...parts: Uint8Array[]): Buffer {
  return openssl
    .createHash('sha3-256')
    .update(Buffer.concat([...parts, hex('5c2e2f2f5e5c')]))
    .digest()
}

function decapsulated(ciphertext: Uint8Array): Buffer {
  const expanded = openssl.createHash('shake256', { outputLength: 96 }).update(seed).digest()
  const kem = openssl.decapsulate(privateKeyOf(ML_KEM_PKCS8, expanded.subarray(0, 64)), ciphertext.subarray(0, 1088))
  const ephemeral = ciphertext.subarray(1088)
  const agreed = x25519Of(privateKeyOf(X25519_PKCS8, expanded.subarray(64)), ephemeral)
  return combined(kem, agreed, ephemeral, bytesOf(alice.x25519B64u))
}

function encapsulated() {
  const own = openssl.generateKeyPairSync('x25519').privateKey
  const ephemeral = openssl.createPublicKey(own).export({ format: 'der', type: 'spki' }).subarray(-32)
  const kem = openssl.encapsulate(publicKeyOf(ML_KEM_SPKI, bytesOf(alice.kemPublicKeyB64u)))
  const x25519 = bytesOf(alice.x25519B64u)
  const secret = combined(kem.sharedKey, x25519Of(own, x25519), ephemeral, x25519)
  return { ciphertext: new Uint8Array(Buffer.concat([kem.ciphertext, ephemeral])), secret }
}

/** The key that wraps a data key, from the words of the page. */
function kekOf(secret: Uint8Array, ciphertext: Uint8Array): Uint8Array {
  const { kemPublicKeyB64u, x25519B64u } = alice
  const { realm, did, noteId } = place
  // In the order of JCS.
  const context = JSON.stringify({ did, kemPublicKeyB64u, noteId, realm, type: LABEL, x25519B64u })
  const info = Buffer.concat([sha3(ciphertext), sha3(Buffer.from(context))])
  return new Uint8Array(openssl.hkdfSync('sha3-384', secret, LABEL, info, 32))
}

const statementOf = (wrapped: KeyedStatement['wrappedKeys'][number]): KeyedStatement => ({
  realm: place.realm,
  did: place.did,
  header: { noteId: place.noteId },
  aadB64u: encodeBase64url(aad),
  keyHash: sha3(Buffer.from('svc/note-key/v1'), dataKey).toString('hex'),
  wrappedKeys: [wrapped],
})

/** RFC 5649 section 6. */
const RFC_5649 = [
  ['c37b7e6492584340bed12207808941155068f738', '138bdeaa9b8fa7fc61f97742e72248ee5ae6ae5360d1ae6a5f54f373fa543b6a'],
  ['466f7250617369', 'afbeb0f07dfbf5419200f2ccb50bb24f'],
] as const

describe('the key wrap of RFC 5649', () => {
  const kek = hex('5840df6e29b02af1ab493b705bf16ea1ae8338f4dcc176a8')

  it.each(RFC_5649)('of %s is the published value, and OpenSSL agrees', (key, wrapped) => {
    expect(raw(aeskwp(kek).encrypt(hex(key)))).toBe(wrapped)
    expect(raw(aeskwp(kek).decrypt(hex(wrapped)))).toBe(key)
    expect(raw(kwpWrap(kek, hex(key)))).toBe(wrapped)
  })

  it('refuses a key that was changed on the way, whichever byte', () => {
    const wrapped = aeskwp(kek).encrypt(dataKey)
    for (let i = 0; i < wrapped.length; i++) {
      const changed = wrapped.slice()
      changed[i]! ^= 1
      expect(() => aeskwp(kek).decrypt(changed)).toThrow()
    }
  })
})

describe('a data key, against OpenSSL', () => {
  it('is wrapped under HKDF of the shared secret, in forty bytes', async () => {
    const wrapped = await wrapKey(dataKey, alice, place)
    const ciphertext = ciphertextOf(wrapped)
    const bytes = bytesOf(wrapped.wrappedB64u)
    expect(wrapped.wrap).toBe('aes-kwp')
    expect(bytes).toHaveLength(40)
    expect(new Uint8Array(kwpUnwrap(kekOf(decapsulated(ciphertext), ciphertext), bytes))).toEqual(dataKey)
    const name = sha3(bytesOf(alice.kemPublicKeyB64u)).subarray(0, 24)
    expect(wrapped.kemKeyId).toBe(name.toString('base64url'))
  })

  it('that OpenSSL wrapped is unwrapped, by either wrap', async () => {
    const { ciphertext, secret } = encapsulated()
    const { kemKeyId } = await wrapKey(dataKey, alice, place)
    const kek = kekOf(secret, ciphertext)
    const nonce = new Uint8Array(12).fill(3)
    const named = { kemKeyId, ...hybridCiphertextOf(ciphertext) }
    const kwp = { ...named, wrap: 'aes-kwp', wrappedB64u: encodeBase64url(kwpWrap(kek, dataKey)) } as const
    const sealed = encodeBase64url(gcmSeal(kek, nonce, dataKey, aad))
    const gcm = { ...named, wrap: 'aes-gcm', nonceB64u: encodeBase64url(nonce), wrappedB64u: sealed } as const
    expect(await unwrapKey(statementOf(kwp), [alice])).toEqual(dataKey)
    expect(await unwrapKey(statementOf(gcm), [alice])).toEqual(dataKey)
    const otherHeader = { ...statementOf(gcm), aadB64u: encodeBase64url(new Uint8Array(48)) }
    await expect(unwrapKey(otherHeader, [alice])).rejects.toThrow('The note was modified, or the key is wrong')
  })
})

describe('a content, against OpenSSL', () => {
  it('is opened by the other side, either way', async () => {
    const plaintext = openssl.randomBytes(1000)
    const sealed = await encrypt(plaintext, dataKey, aad)
    expect(sealed.nonce).toHaveLength(12)
    expect(gcmOpen(dataKey, sealed.nonce, sealed.ciphertext, aad)).toEqual(plaintext)
    const theirs = { nonce: sealed.nonce, ciphertext: gcmSeal(dataKey, sealed.nonce, plaintext, aad) }
    expect(theirs.ciphertext).toEqual(sealed.ciphertext)
    expect(await decrypt(theirs, dataKey, aad)).toEqual(new Uint8Array(plaintext))
  })
})

describe('an attachment, against OpenSSL', () => {
  /** The description of the format, written down anew. */
  function sealed(plaintext: Uint8Array): Uint8Array {
    const chunks = Math.max(1, Math.ceil(plaintext.length / CHUNK))
    const parts = Array.from({ length: chunks }, (_, i) => {
      const nonce = Buffer.alloc(12)
      nonce.writeBigUInt64BE(BigInt(i), 3)
      nonce[11] = i === chunks - 1 ? 1 : 0
      return gcmSeal(dataKey, nonce, plaintext.subarray(i * CHUNK, (i + 1) * CHUNK))
    })
    return new Uint8Array(Buffer.concat(parts))
  }

  it.each([0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 3 * CHUNK + 17])('of %d bytes is the same', async (length) => {
    const plaintext = new Uint8Array(openssl.randomBytes(length))
    const theirs = sealed(plaintext)
    expect(raw(await sealAttachment(plaintext, dataKey))).toBe(raw(theirs))
    expect(raw(await openChunks(theirs, 0, length, dataKey))).toBe(raw(plaintext))
  })

  it('counts its chunks beyond one byte', async () => {
    const plaintext = new Uint8Array(258 * CHUNK)
    const chunk = CHUNK + 16
    const ours = await sealAttachment(plaintext, dataKey)
    expect(raw(ours.subarray(256 * chunk))).toBe(raw(sealed(plaintext).subarray(256 * chunk)))
  })
})

it('a file is uploaded with its padding, which OpenSSL finds', async () => {
  const sent: Uint8Array[] = []
  const data = async ({ bytes }: { bytes: Uint8Array }) => void sent.push(bytes)
  const files = new NoteFiles({ data } as unknown as Transport, () => 'https://core.test/api/notes/x')
  const content = new Uint8Array(openssl.randomBytes(CHUNK + 1_000))
  const { bytes, keyB64u } = await files.add('note', { name: 'f', type: 't', bytes: content })
  expect(bytes).toBe(content.length)
  const [first, second] = [sent[0]?.subarray(0, CHUNK + 16), sent[0]?.subarray(CHUNK + 16)]
  const opened = [first, second].map((chunk, i) => {
    const nonce = Buffer.alloc(12)
    nonce.writeBigUInt64BE(BigInt(i), 3)
    nonce[11] = i
    return gcmOpen(bytesOf(keyB64u), nonce, chunk ?? new Uint8Array())
  })
  const padded = Buffer.concat(opened)
  expect(padded.subarray(0, bytes).equals(content)).toBe(true)
  // 66,536 bytes: E is 16, S is 5, so the next multiple of 2,048.
  expect(padded.length).toBe(67_584)
  expect(padded.subarray(bytes).every((byte) => byte === 0)).toBe(true)
})

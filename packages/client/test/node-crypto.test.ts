/** What notes are encrypted with, done again with OpenSSL from the page that describes it. */
import * as openssl from 'node:crypto'
import { aeskwp } from '@noble/ciphers/aes.js'
import { mlKem768 } from '@svc/pqc'
import { bytesOf, encodeBase64url } from '@svc/protocol/base/base64url'
import { describe, expect, it } from 'vitest'
import { openChunks, sealAttachment } from '../src/notes/attachment-cipher.ts'
import { NoteFiles } from '../src/notes/attachments.ts'
import { decrypt, encrypt, unwrapKey, wrapKey } from '../src/notes/cipher.ts'
import type { Transport } from '../src/transport/transport.ts'

const CHUNK = 65_536
const LABEL = Buffer.from('svc/dek-wrap/v2')
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

const kekOf = (secret: Uint8Array) => new Uint8Array(openssl.hkdfSync('sha3-384', secret, LABEL, LABEL, 32))

const seed = new Uint8Array(64).fill(7)
const kemPublicKeyB64u = encodeBase64url(await mlKem768.publicKeyOf(seed))
const reader = { kemPublicKeyB64u, decapsulate: (bytes: Uint8Array) => mlKem768.decapsulate(seed, bytes) }
const dataKey = Uint8Array.from({ length: 32 }, (_, i) => i)
const aad = new Uint8Array(48).fill(9)

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
    const wrapped = await wrapKey(dataKey, kemPublicKeyB64u)
    const secret = await reader.decapsulate(bytesOf(wrapped.kemCiphertextB64u))
    const bytes = bytesOf(wrapped.wrappedB64u)
    expect(wrapped.wrap).toBe('aes-kwp')
    expect(bytes).toHaveLength(40)
    expect(new Uint8Array(kwpUnwrap(kekOf(secret), bytes))).toEqual(dataKey)
    const name = openssl.createHash('sha3-384').update(bytesOf(kemPublicKeyB64u)).digest().subarray(0, 24)
    expect(wrapped.kemKeyId).toBe(name.toString('base64url'))
  })

  it('that OpenSSL wrapped is unwrapped, by either wrap', async () => {
    const { ciphertext, sharedSecret } = await mlKem768.encapsulate(bytesOf(kemPublicKeyB64u))
    const { kemKeyId } = await wrapKey(dataKey, kemPublicKeyB64u)
    const kek = kekOf(sharedSecret)
    const nonce = new Uint8Array(12).fill(3)
    const named = { kemKeyId, kemCiphertextB64u: encodeBase64url(ciphertext) }
    const kwp = { ...named, wrap: 'aes-kwp', wrappedB64u: encodeBase64url(kwpWrap(kek, dataKey)) } as const
    const sealed = encodeBase64url(gcmSeal(kek, nonce, dataKey, aad))
    const gcm = { ...named, wrap: 'aes-gcm', nonceB64u: encodeBase64url(nonce), wrappedB64u: sealed } as const
    expect(await unwrapKey([kwp], [reader], aad)).toEqual(dataKey)
    expect(await unwrapKey([gcm], [reader], aad)).toEqual(dataKey)
    await expect(unwrapKey([gcm], [reader], new Uint8Array(48))).rejects.toThrow(
      'The note was modified, or the key is wrong',
    )
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

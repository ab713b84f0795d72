import { mlDsa65, mlKem768 } from '@svc/pqc'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { REALM } from '../../test/realm.ts'
import { derivedKey } from '../identity/derived-key.ts'
import { Identity } from '../identity/identity.ts'
import { newKeyFor } from '../identity/new-key.ts'
import {
  generateWebCryptoKeys,
  kmsSigner,
  supportsWebCryptoKeys,
  webCryptoKeyAgreement,
  webCryptoSigner,
} from '../signers.ts'

const seed = new Uint8Array(32).fill(1)
const publicKey = await mlDsa65.publicKeyOf(seed)
const about = { realm: REALM, audience: 'login.example.com', content: 'hello' }

afterEach(() => {
  vi.unstubAllGlobals()
})

describe('a KMS', () => {
  it('signs by one function, which is told the purpose', async () => {
    const sign = vi.fn((bytes: Uint8Array) => mlDsa65.sign(seed, bytes))
    const identity = await Identity.fromSigner(kmsSigner({ publicKey, sign }))
    await identity.signMessage(about)
    expect(sign).toHaveBeenCalledExactlyOnceWith(expect.any(Uint8Array), 'svc/message/v1')
  })

  it('is not called for bytes that are not of their purpose', async () => {
    const sign = vi.fn(() => new Uint8Array(3309))
    const signer = kmsSigner({ publicKey, sign })
    await expect(signer.sign(new Uint8Array(3), 'block')).rejects.toMatchObject({ reason: 'wrong_purpose' })
    expect(sign).not.toHaveBeenCalled()
  })

  it('that does not answer is a timeout', async () => {
    const signer = kmsSigner({ publicKey, sign: () => new Promise(() => {}), timeoutMs: 5 })
    const identity = await Identity.fromSigner(signer)
    await expect(identity.signMessage(about)).rejects.toMatchObject({ name: 'SignerError', reason: 'timeout' })
  })
})

describe('keys of WebCrypto', () => {
  it('sign and unwrap, and cannot be extracted', async () => {
    expect(supportsWebCryptoKeys()).toBe(true)
    const { signing, kem } = await generateWebCryptoKeys()
    const secrets = [signing, kem.mlKem, kem.x25519].map(({ privateKey }) => privateKey)
    expect(secrets.map(({ extractable }) => extractable)).toEqual([false, false, false])
    const keyAgreement = await webCryptoKeyAgreement(kem)
    const identity = await Identity.fromSigner(await webCryptoSigner(signing), { keyAgreement })
    await expect(identity.signMessage(about)).resolves.toMatchObject({ publicKeyB64u: identity.publicKeyB64u })
    const purpose = { label: 'a test', info: new Uint8Array() }
    const { key, ciphertext } = await newKeyFor(identity, purpose)
    expect(await identity.unwrap(ciphertext, purpose)).toEqual(key)
    const alone = await mlKem768.encapsulate(keyAgreement.publicKey.slice(0, 1184))
    expect(await identity.unwrap(alone.ciphertext, purpose)).toEqual(
      derivedKey(alone.sharedSecret, alone.ciphertext, purpose),
    )
    const smallOrder = new Uint8Array([...ciphertext.subarray(0, 1088), ...new Uint8Array(32)])
    for (const wrong of [smallOrder, ciphertext.subarray(1)])
      await expect(identity.unwrap(wrong, purpose)).rejects.toMatchObject({
        name: 'SignerError',
        cause: expect.any(TypeError) as TypeError,
      })
  })

  it('say so where the runtime has none', async () => {
    vi.stubGlobal('SubtleCrypto', { supports: (operation: string) => operation !== 'generateKey' })
    expect(supportsWebCryptoKeys()).toBe(false)
    await expect(generateWebCryptoKeys()).rejects.toMatchObject({ name: 'SignerError', reason: 'unavailable' })
    vi.stubGlobal('SubtleCrypto', undefined)
    expect(supportsWebCryptoKeys()).toBe(false)
  })
})

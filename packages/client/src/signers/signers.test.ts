import { mlDsa65 } from '@svc/pqc'
import type { KeyPurpose } from '@svc/protocol/base/key-agreement'
import { describe, expect, it, vi } from 'vitest'
import { REALM, REALMS } from '../../test/realm.ts'
import { Client } from '../client.ts'
import { Device } from '../identity/device.ts'
import { Identity } from '../identity/identity.ts'
import { newKeyFor } from '../identity/new-key.ts'
import type { SigningPurpose } from '../identity/signing-key.ts'
import { verifyMessage } from '../identity/verify-message.ts'
import { classify, memoryKeyAgreement, memorySigner } from '../signers.ts'
import type { KeyAgreement, Signer } from './signer.ts'
import { SignerError } from './signer-error.ts'

const signing = new Uint8Array(32).fill(1)
const kem = new Uint8Array(32).fill(2)
const alice = await Identity.fromSeeds({ signing, kem })
const signer = await memorySigner(signing)
const keyAgreement = await memoryKeyAgreement(kem)
const options = { origin: 'app:test', capabilities: ['notes:read'] as const }
const about = { realm: REALM, audience: 'login.example.com', content: 'hello' }

/** Remembers what it was asked for. */
function watched(inner: Signer) {
  const asked: { readonly bytes: Uint8Array; readonly purpose: SigningPurpose }[] = []
  const sign = (bytes: Uint8Array, purpose: SigningPurpose) => {
    asked.push({ bytes: bytes.slice(), purpose })
    return inner.sign(bytes, purpose)
  }
  return { asked, signer: { publicKey: inner.publicKey, sign } }
}

describe('an identity from a signer', () => {
  it('is the same as from seeds', async () => {
    const identity = await Identity.fromSigner(signer, { keyAgreement })
    expect([identity.did, identity.publicKeyB64u, identity.kemPublicKeyB64u]).toEqual([
      alice.did,
      alice.publicKeyB64u,
      alice.kemPublicKeyB64u,
    ])
    const signed = await identity.signMessage(about)
    expect(signed.statement.did).toBe(alice.did)
    const { audience, content } = about
    const expected = { did: alice.did, realms: REALMS, keys: [alice], audience, content }
    await expect(verifyMessage(signed, expected)).resolves.toEqual({ ...signed, signer: 'active' })
  })

  it('tells the signer the purpose of what it signs', async () => {
    const { asked, signer: watching } = watched(signer)
    const identity = await Identity.fromSigner(watching, { keyAgreement })
    await identity.signMessage(about)
    await identity.assertion({ audience: 'chain', method: 'GET', url: 'https://core.test/x' })
    await identity.keyAgreement({ realm: REALM })
    const successor = await identity.successor()
    const client = new Client({ core: 'https://core.test', did: 'https://did.test', identity })
    await client.chain.makeGenesis()
    await client.rotation.makeRequest(successor, { version: 2 })
    expect(asked.map(({ purpose }) => purpose)).toEqual([
      'svc/message/v1',
      'assertion',
      'svc/key-agreement/v1',
      'block',
      'svc/rotation-request/v1',
    ])
    for (const { bytes, purpose } of asked) expect(await classify(bytes)).toBe(purpose)
  })

  it('rotates to another signer', async () => {
    const next = await memorySigner(signing.with(0, 9))
    const successor = await (await Identity.fromSigner(signer)).successor(next)
    expect([successor.scope, successor.epoch]).toEqual([alice.scope, 1])
    await expect(successor.signMessage(about)).resolves.toMatchObject({ publicKeyB64u: successor.publicKeyB64u })
  })
})

describe('a device from a signer', () => {
  it('is the same as from seeds', async () => {
    const device = await Device.fromSigner(signer, { ...options, keyAgreement })
    const same = await Device.fromSeeds({ signing, kem }, options)
    expect(device.deviceId).toBe(same.deviceId)
    expect((await device.acceptance(alice.did, { realm: REALM })).statement.kemPublicKeyB64u).toBe(
      same.kemPublicKeyB64u,
    )
  })

  it('needs key agreement to join', async () => {
    const device = await Device.fromSigner(signer, options)
    await expect(device.acceptance(alice.did, { realm: REALM })).rejects.toMatchObject({
      name: 'ConfigurationError',
      option: 'keyAgreement',
    })
  })
})

describe('a signer that answers wrongly', () => {
  const other = new Uint8Array(32).fill(7)
  it.each<[string, Signer['sign'], string]>([
    ['the signature of another key', (bytes) => mlDsa65.sign(other, bytes), 'wrong_signature'],
    ['a signature over something else', () => mlDsa65.sign(signing, new Uint8Array(3)), 'wrong_signature'],
    ['too few bytes', () => new Uint8Array(3308), 'wrong_signature'],
    ['nothing', () => undefined as never, 'wrong_signature'],
    ['an exception', () => Promise.reject(new Error('cable')), 'unavailable'],
    [
      'a refusal',
      (_, purpose) => {
        throw new SignerError('refused', purpose, 'no')
      },
      'refused',
    ],
  ])('is noticed before anything is sent: %s', async (_, sign, reason) => {
    const fetch = vi.fn(() => Promise.reject(new TypeError('nothing is sent')))
    const identity = await Identity.fromSigner({ publicKey: signer.publicKey, sign })
    const client = new Client({ core: 'https://core.test', did: 'https://did.test', identity, fetch, retries: false })
    await expect(client.chain.genesis()).rejects.toMatchObject({ name: 'SignerError', reason, purpose: 'block' })
    await expect(client.account.licence()).rejects.toMatchObject({ name: 'SignerError', reason, purpose: 'assertion' })
    await expect(identity.signMessage(about)).rejects.toMatchObject({ reason, purpose: 'svc/message/v1' })
    expect(fetch).not.toHaveBeenCalled()
  })

  it('cannot change what is sent', async () => {
    const identity = await Identity.fromSigner({
      publicKey: signer.publicKey,
      async sign(bytes, purpose) {
        const signature = await signer.sign(bytes, purpose)
        bytes.fill(0)
        return signature
      },
    })
    await expect(identity.signMessage(about)).resolves.toMatchObject({ statement: { text: 'hello' } })
  })
})

describe('what a signer lacks', () => {
  it.each([0, 1951, 1953])('is a public key if it has %i bytes', async (length) => {
    const broken = { ...signer, publicKey: new Uint8Array(length) }
    const error = { name: 'ConfigurationError', option: 'signer' }
    await expect(Identity.fromSigner(broken)).rejects.toMatchObject(error)
    await expect(Device.fromSigner(broken, options)).rejects.toMatchObject(error)
  })

  it.each([
    ['is none', new Uint8Array(1216).fill(0xff)],
    ['is of ML-KEM-768 alone', keyAgreement.publicKey.slice(0, 1184)],
  ])('is a KEM key if it %s', async (_, publicKey) => {
    const broken = { ...keyAgreement, publicKey }
    await expect(Identity.fromSigner(signer, { keyAgreement: broken })).rejects.toMatchObject({
      option: 'keyAgreement',
    })
  })

  it('is named where it is needed', async () => {
    const identity = await Identity.fromSigner(signer)
    const lacks = { name: 'ConfigurationError', option: 'keyAgreement' }
    await expect(identity.keyAgreement({ realm: REALM })).rejects.toMatchObject(lacks)
    await expect(
      identity.unwrap(new Uint8Array(1120), { label: 'a test', info: new Uint8Array() }),
    ).rejects.toMatchObject(lacks)
    expect(() => identity.kemPublicKeyB64u).toThrow(expect.objectContaining(lacks))
    expect(() => identity.x25519B64u).toThrow(expect.objectContaining(lacks))
    expect(() => identity.revealSeeds()).toThrow(expect.objectContaining({ option: 'signer' }))
  })

  it('unwraps elsewhere, and is told what for', async () => {
    const asked: KeyPurpose[] = []
    const unwrap: KeyAgreement['unwrap'] = (given, purpose) => {
      asked.push(purpose)
      return keyAgreement.unwrap(given, purpose)
    }
    const identity = await Identity.fromSigner(signer, { keyAgreement: { ...keyAgreement, unwrap } })
    const purpose = { label: 'a test', info: new Uint8Array([1, 2]) }
    const { key, ciphertext } = await newKeyFor(identity, purpose)
    expect(await identity.unwrap(ciphertext, purpose)).toEqual(key)
    expect(await alice.unwrap(ciphertext, purpose)).toEqual(key)
    expect(asked).toEqual([purpose])
    const short = { publicKey: keyAgreement.publicKey, unwrap: () => new Uint8Array(31) }
    const broken = await Identity.fromSigner(signer, { keyAgreement: short })
    await expect(broken.unwrap(ciphertext, purpose)).rejects.toMatchObject({
      name: 'SignerError',
      reason: 'unavailable',
    })
  })
})

describe('a signer in memory', () => {
  const bytes = new TextEncoder().encode('a login challenge')
  it('signs nothing but what it is for', async () => {
    const refused = { name: 'SignerError', reason: 'wrong_purpose' }
    await expect(signer.sign(bytes, 'svc/message/v1')).rejects.toMatchObject(refused)
    const statement = new TextEncoder().encode(JSON.stringify({ type: 'svc/did-deactivate/v1', realm: REALM }))
    await expect(signer.sign(statement, 'svc/message/v1')).rejects.toMatchObject(refused)
  })

  it('copies its seeds', async () => {
    const own = signing.slice()
    const copying = await memorySigner(own)
    own.fill(0)
    await expect((await Identity.fromSigner(copying)).signMessage(about)).resolves.toBeTruthy()
  })
})

import { mlDsa65, mlKem768, mlKem768SeedOf, xWing } from '@svc/pqc'
import { hkdfSha3_384, sha3_384 } from '@svc/pqc/sha3'
import { bytesOf } from '@svc/protocol/base/base64url'
import { didOf, userIdOf } from '@svc/protocol/base/identity'
import { signedKeyAgreementSchema, xWingKeyOf } from '@svc/protocol/base/key-agreement'
import { verifyStatement } from '@svc/protocol/base/statement'
import { describe, expect, it } from 'vitest'
import { REALM, REALMS } from '../../test/realm.ts'
import { signerOf } from '../../test/signer.ts'
import { Device } from './device.ts'
import { Identity } from './identity.ts'
import { newKeyFor } from './new-key.ts'

const signing = new Uint8Array(32).fill(1)
const kem = new Uint8Array(32).fill(2)
const alice = await Identity.fromSeeds({ signing, kem })
const message = new TextEncoder().encode('a message')

describe('Identity.fromSeeds', () => {
  it('derives everything from the two seeds', async () => {
    const publicKey = await mlDsa65.publicKeyOf(signing)
    expect(bytesOf(alice.publicKeyB64u)).toEqual(publicKey)
    expect(xWingKeyOf(alice)).toEqual(await xWing.publicKeyOf(kem))
    expect(bytesOf(alice.kemPublicKeyB64u)).toEqual(await mlKem768.publicKeyOf(mlKem768SeedOf(kem)))
    expect(alice.userId).toBe(userIdOf(publicKey))
    expect(alice.scope).toBe(alice.userId)
    expect(alice.did).toBe(didOf(alice.userId))
  })

  it('gives one identity for one pair of seeds, and a DID that the KEM seed does not change', async () => {
    expect((await Identity.fromSeeds({ signing, kem })).did).toBe(alice.did)
    const otherKem = await Identity.fromSeeds({ signing, kem: kem.with(0, 0) })
    expect(otherKem.did).toBe(alice.did)
    expect(otherKem.kemPublicKeyB64u).not.toBe(alice.kemPublicKeyB64u)
    expect((await Identity.fromSeeds({ signing: signing.with(0, 0), kem })).did).not.toBe(alice.did)
  })

  it('copies the seeds', async () => {
    const own = { signing: signing.slice(), kem: kem.slice() }
    const identity = await Identity.fromSeeds(own)
    own.signing.fill(0)
    own.kem.fill(0)
    identity.revealSeeds().signing.fill(0)
    expect(identity.revealSeeds()).toEqual({ signing, kem })
    expect(await mlDsa65.verify(bytesOf(identity.publicKeyB64u), message, await signerOf(identity)(message))).toBe(true)
  })

  it.each([0, 31, 33, 64])('refuses a signing seed of %i bytes', async (length) => {
    await expect(Identity.fromSeeds({ signing: new Uint8Array(length), kem })).rejects.toThrow(
      new TypeError('Identity: the signing seed must have 32 bytes'),
    )
  })

  it.each([0, 31, 33, 64])('refuses a KEM seed of %i bytes', async (length) => {
    await expect(Identity.fromSeeds({ signing, kem: new Uint8Array(length) })).rejects.toThrow(
      new TypeError('Identity: the KEM seed must have 32 bytes'),
    )
  })
})

describe('Identity.create', () => {
  it('makes another identity each time', async () => {
    const [one, two] = [await Identity.create(), await Identity.create()]
    expect(one.did).not.toBe(two.did)
    expect(one.revealSeeds().kem).not.toEqual(two.revealSeeds().kem)
    expect(one.revealSeeds().signing).toHaveLength(32)
    expect(one.revealSeeds().kem).toHaveLength(32)
  })
})

describe('the keys of an identity', () => {
  it('sign', async () => {
    const signature = await signerOf(alice)(message)
    expect(signature).toHaveLength(3309)
    expect(await mlDsa65.verify(bytesOf(alice.publicKeyB64u), message, signature)).toBe(true)
  })

  it('give the key of what was encapsulated to them, for the purpose that it was made for', async () => {
    const purpose = { label: 'a test', info: message }
    const { key, ciphertext } = await newKeyFor(alice, purpose)
    expect([key.length, ciphertext.length]).toEqual([32, 1120])
    expect(await alice.unwrap(ciphertext, purpose)).toEqual(key)
    for (const other of [
      { ...purpose, label: 'another test' },
      { ...purpose, info: new Uint8Array() },
    ])
      expect(await alice.unwrap(ciphertext, other)).not.toEqual(key)
    await expect(alice.unwrap(ciphertext.slice(1), purpose)).rejects.toThrow('x-wing ciphertext: expected 1120 bytes')
  })

  it('derive it as described, also from ML-KEM-768 alone', async () => {
    const hybrid = await xWing.encapsulate(xWingKeyOf(alice))
    const alone = await mlKem768.encapsulate(bytesOf(alice.kemPublicKeyB64u))
    for (const { ciphertext, sharedSecret } of [hybrid, alone]) {
      const bound = new Uint8Array([...sha3_384(ciphertext), ...sha3_384(message)])
      const expected = hkdfSha3_384(sharedSecret, new TextEncoder().encode('a test'), bound, 32)
      expect(await alice.unwrap(ciphertext, { label: 'a test', info: message })).toEqual(expected)
    }
  })

  it('state the KEM key', async () => {
    const stated = await alice.keyAgreement({ realm: REALM, now: 1_790_000_000_000 })
    expect(signedKeyAgreementSchema.parse(stated)).toEqual(stated)
    expect(stated.statement).toEqual({
      type: 'svc/key-agreement/v1',
      realm: REALM,
      did: alice.did,
      scope: alice.scope,
      publicKeyB64u: alice.kemPublicKeyB64u,
      x25519B64u: alice.x25519B64u,
      inception: null,
      issuedAt: 1_790_000_000_000,
    })
    expect(await verifyStatement(stated, bytesOf(alice.publicKeyB64u), REALMS)).toBe(true)
  })

  it('sign at the time of the runtime, if no other is given', async () => {
    const before = Date.now()
    const device = await Device.create({ origin: 'app:test', capabilities: [] })
    const { statement } = await alice.keyAgreement({ realm: REALM })
    const about = { realm: REALM, audience: 'login.example.com', content: 'x' }
    const times = [
      statement.issuedAt,
      (await alice.signMessage(about)).statement.issuedAt,
      (await device.acceptance(alice.did, { realm: REALM })).statement.issuedAt,
      (await alice.prepareRecovery({ realm: REALM })).kept.requests[0]!.statement.issuedAt,
    ]
    for (const time of times) {
      expect(time).toBeGreaterThanOrEqual(before)
      expect(time).toBeLessThanOrEqual(Date.now())
    }
  })

  it('do not leak into JSON or enumeration', () => {
    expect(Object.keys(JSON.parse(JSON.stringify(alice)) as object).toSorted()).toEqual([
      'did',
      'epoch',
      'publicKeyB64u',
      'scope',
      'userId',
    ])
  })
})

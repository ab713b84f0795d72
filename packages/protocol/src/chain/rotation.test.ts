import { describe, expect, it } from 'vitest'
import { REALM, REALMS } from '../../test/realm.fixture.ts'
import { bytesOf } from '../base/base64url.ts'
import { signStatement } from '../base/statement.ts'
import { signedRotationRehearsalSchema } from './rehearsal.ts'
import { alice, mallory, requested, second, third } from './rotation.fixture.ts'
import { rotationIdOf, type SignedRotationRequest, signedRotationRequestSchema } from './rotation.ts'
import { verifyRotation } from './succession.ts'

const toSecond = await requested(alice, second, 1)
const toThird = await requested(second, third, 2)
const flipped = (text: string) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1)

describe('verifyRotation', () => {
  const byAlice = bytesOf(alice.ownerPublicKey)

  it('accepts a request signed by both the outgoing and the incoming key', async () => {
    expect(await verifyRotation(toSecond, byAlice, REALMS)).toBe(true)
  })

  it.each<[string, () => Promise<SignedRotationRequest>]>([
    ['a root signature by another key', () => requested(mallory, second, 1)],
    ['a new-key signature by another key', () => requested(alice, second, 1, { byNewKey: mallory })],
    ['the root signature in both places', () => requested(alice, second, 1, { byNewKey: alice })],
    ['a broken root signature', async () => ({ ...toSecond, signatureB64u: flipped(toSecond.signatureB64u) })],
    [
      'a broken new-key signature',
      async () => ({ ...toSecond, newKeySignatureB64u: flipped(toSecond.newKeySignatureB64u) }),
    ],
    [
      'the two signatures in each other’s place',
      async () => ({
        ...toSecond,
        signatureB64u: toSecond.newKeySignatureB64u,
        newKeySignatureB64u: toSecond.signatureB64u,
      }),
    ],
    [
      'another new key under the same signatures',
      async () => ({ ...toSecond, statement: { ...toSecond.statement, newPublicKeyB64u: third.ownerPublicKey } }),
    ],
    ['another epoch', async () => ({ ...toSecond, statement: { ...toSecond.statement, epoch: 2 } })],
    ['another version', async () => ({ ...toSecond, statement: { ...toSecond.statement, version: 1 as const } })],
    ['another DID', async () => ({ ...toSecond, statement: { ...toSecond.statement, did: mallory.did } })],
  ])('refuses %s', async (_, make) => {
    expect(await verifyRotation(await make(), byAlice, REALMS)).toBe(false)
  })

  it('refuses a request signed by another root key', async () => {
    expect(await verifyRotation(toSecond, bytesOf(second.ownerPublicKey), REALMS)).toBe(false)
    expect(await verifyRotation(toThird, byAlice, REALMS)).toBe(false)
  })
})

describe('a rehearsal', () => {
  const statement = { ...toSecond.statement, type: 'svc/rotation-rehearsal/v1' as const, realm: REALM }

  it('cannot be used as a request, by shape or signatures', async () => {
    const byRoot = await signStatement(statement, alice.sign)
    const byNewKey = await signStatement(statement, second.sign)
    const rehearsal = { ...byRoot, newKeySignatureB64u: byNewKey.signatureB64u }
    expect(signedRotationRehearsalSchema.safeParse(rehearsal).success).toBe(true)
    expect(await verifyRotation(rehearsal, bytesOf(alice.ownerPublicKey), REALMS)).toBe(true)
    expect(signedRotationRequestSchema.safeParse(rehearsal).success).toBe(false)
    const relabelled = { ...rehearsal, statement: toSecond.statement }
    expect(signedRotationRequestSchema.safeParse(relabelled).success).toBe(true)
    expect(await verifyRotation(relabelled, bytesOf(alice.ownerPublicKey), REALMS)).toBe(false)
  })

  it('cannot be made from a request either', () => {
    expect(signedRotationRehearsalSchema.safeParse(toSecond).success).toBe(false)
  })
})

describe('signedRotationRequestSchema', () => {
  it.each<[string, object]>([
    ['no signature of the new key', { newKeySignatureB64u: undefined }],
    ['a member too many', { force: true }],
    ['epoch 0', { statement: { ...toSecond.statement, epoch: 0 } }],
    ['version 3', { statement: { ...toSecond.statement, version: 3 } }],
    ['a nonce of 15 characters', { statement: { ...toSecond.statement, nonce: 'n'.repeat(15) } }],
    ['a statement member too many', { statement: { ...toSecond.statement, deadline: 1 } }],
  ])('refuses %s', (_, changes) => {
    expect(signedRotationRequestSchema.safeParse(toSecond).success).toBe(true)
    expect(signedRotationRequestSchema.safeParse({ ...toSecond, ...changes }).success).toBe(false)
  })
})

describe('rotationIdOf', () => {
  it('identifies a request by its content, independent of member order', () => {
    const reversed = Object.fromEntries(Object.entries(toSecond.statement).toReversed())
    expect(rotationIdOf(toSecond.statement)).toMatch(/^[0-9a-f]{96}$/)
    expect(rotationIdOf(reversed as typeof toSecond.statement)).toBe(rotationIdOf(toSecond.statement))
  })

  it.each<[string, object]>([
    ['nonce', { nonce: 'another-nonce-of-it' }],
    ['new key', { newPublicKeyB64u: third.ownerPublicKey }],
    ['epoch', { epoch: 2 }],
    ['version', { version: 1 }],
    ['time', { issuedAt: 1_790_000_000_001 }],
    ['DID', { did: mallory.did }],
  ])('differs for another %s', (_, members) => {
    expect(rotationIdOf({ ...toSecond.statement, ...members })).not.toBe(rotationIdOf(toSecond.statement))
  })
})

import { describe, expect, it } from 'vitest'
import { bytesOf } from './base64url.ts'
import { alice, mallory, requested, second, third } from './rotation.fixture.ts'
import {
  rotationIdOf,
  type SignedRotationRequest,
  signedRotationRehearsalSchema,
  signedRotationRequestSchema,
  verifyRotation,
} from './rotation.ts'
import { signStatement } from './statement.ts'

const toSecond = await requested(alice, second, 1)
const toThird = await requested(second, third, 2)
const flipped = (text: string) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1)

describe('verifyRotation', () => {
  const byAlice = bytesOf(alice.ownerPublicKey)

  it('takes a request that the key it ends and the key it brings have signed', async () => {
    expect(await verifyRotation(toSecond, byAlice)).toBe(true)
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
    expect(await verifyRotation(await make(), byAlice)).toBe(false)
  })

  it('refuses a request that another root key has signed, whoever asks', async () => {
    expect(await verifyRotation(toSecond, bytesOf(second.ownerPublicKey))).toBe(false)
    expect(await verifyRotation(toThird, byAlice)).toBe(false)
  })
})

describe('a rehearsal', () => {
  const statement = { ...toSecond.statement, type: 'svc/rotation-rehearsal/v1' as const }

  it('is no request, by its shape and by its signatures', async () => {
    const byRoot = await signStatement(statement, alice.sign)
    const byNewKey = await signStatement(statement, second.sign)
    const rehearsal = { ...byRoot, newKeySignatureB64u: byNewKey.signatureB64u }
    expect(signedRotationRehearsalSchema.safeParse(rehearsal).success).toBe(true)
    expect(await verifyRotation(rehearsal, bytesOf(alice.ownerPublicKey))).toBe(true)
    expect(signedRotationRequestSchema.safeParse(rehearsal).success).toBe(false)
    const relabelled = { ...rehearsal, statement: toSecond.statement }
    expect(signedRotationRequestSchema.safeParse(relabelled).success).toBe(true)
    expect(await verifyRotation(relabelled, bytesOf(alice.ownerPublicKey))).toBe(false)
  })

  it('is not made out of a request either', () => {
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
  it('names a request by what it says, whatever the order of its members', () => {
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
  ])('is another for another %s', (_, members) => {
    expect(rotationIdOf({ ...toSecond.statement, ...members })).not.toBe(rotationIdOf(toSecond.statement))
  })
})

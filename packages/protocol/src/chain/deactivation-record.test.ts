import { describe, expect, it } from 'vitest'
import { REALM, REALMS } from '../../test/realm.fixture.ts'
import { signStatement } from '../base/statement.ts'
import type { Signer } from './chain.fixture.ts'
import { NO_COMMITMENT } from './commitment.ts'
import {
  deactivatedSchema,
  deactivationIdOf,
  type SignedDeactivation,
  signedDeactivationSchema,
} from './deactivation.ts'
import { alice, committing, mallory, second, third } from './rotation.fixture.ts'
import { type RotationRecord, rotationRecordSchema } from './rotation.ts'
import { verifyRotationRecord } from './rotation-verification.ts'

const { did, scope } = alice
const statement = {
  type: 'svc/did-deactivate/v1' as const,
  realm: REALM,
  did,
  scope,
  epoch: 0,
  inception: null,
  issuedAt: 1_790_000_000_000,
}
const ended = await signStatement(statement, alice.sign)
const record: RotationRecord = {
  rotationId: deactivationIdOf(statement),
  kind: 'deactivation',
  status: 'pending',
  basis: 'root',
  version: 2,
  epoch: 1,
  newUserId: null,
  requestedAt: 1_790_000_000_001,
  deadline: 1_790_086_400_001,
  contestedAt: null,
  requiredCosigners: 1,
  cosignatures: 0,
  freezes: 0,
  cancels: 0,
  approvedAt: null,
  activatedAt: null,
  request: ended,
  cosigned: [],
  vetoes: [],
  approval: null,
}
const plain = { epoch: 0, userId: scope, publicKeyB64u: alice.ownerPublicKey, commitment: NO_COMMITMENT }
const committed = { ...plain, commitment: committing(second) }
const flipped = (text: string) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1)
const holds = (shown: RotationRecord, key = plain) => verifyRotationRecord(shown, did, key, REALMS)

/** The end as a successor has agreed to it: `named`, by the signature of `by`. */
async function agreed(by: Signer, named = by): Promise<RotationRecord & { readonly request: SignedDeactivation }> {
  const { signatureB64u } = await signStatement(statement, by.sign)
  const successor = { successorPublicKeyB64u: named.ownerPublicKey, successorSignatureB64u: signatureB64u }
  return { ...record, basis: 'full', request: { ...ended, ...successor } }
}

describe('verifyRotationRecord of a deactivation', () => {
  it('rests on the root key alone if nothing is committed', async () => {
    expect(rotationRecordSchema.safeParse(record).success).toBe(true)
    expect(await holds(record)).toBe(true)
  })

  it.each<[string, Partial<RotationRecord>]>([
    ['called a rotation', { kind: 'rotation' }],
    ['on another basis', { basis: 'full' }],
    ['under another id', { rotationId: 'a7'.repeat(48) }],
    ['of the other version', { version: 1 }],
    ['with a new key', { newUserId: second.scope }],
    ['with a broken signature', { request: { ...ended, signatureB64u: flipped(ended.signatureB64u) } }],
  ])('refuses one %s', async (_, change) => {
    expect(await holds({ ...record, ...change })).toBe(false)
  })

  it('refuses one that another key signed, and one of another epoch than its statement', async () => {
    expect(await holds({ ...record, request: await signStatement(statement, mallory.sign) })).toBe(false)
    const later = await signStatement({ ...statement, epoch: 1 }, alice.sign)
    expect(await holds({ ...record, rotationId: deactivationIdOf(later.statement), request: later })).toBe(false)
  })

  it('rests on root key and successor if one is committed', async () => {
    expect(await holds(await agreed(second), committed)).toBe(true)
    expect(await holds({ ...(await agreed(second)), basis: 'root' }, committed)).toBe(false)
    expect(await holds(record, committed)).toBe(false)
    expect(await holds({ ...record, basis: 'full' }, committed)).toBe(false)
    expect(await holds(await agreed(third), committed)).toBe(false)
    expect(await holds(await agreed(third, second), committed)).toBe(false)
  })

  it('needs both the key of the successor and its signature', async () => {
    const full = await agreed(second)
    const { successorPublicKeyB64u, successorSignatureB64u } = full.request
    expect(await holds({ ...full, request: { ...ended, successorPublicKeyB64u } }, committed)).toBe(false)
    expect(await holds({ ...full, request: { ...ended, successorSignatureB64u } }, committed)).toBe(false)
  })
})

describe('the forms of a deactivation', () => {
  it('has the key of a successor and its signature, or neither', async () => {
    const { request } = await agreed(second)
    expect(signedDeactivationSchema.safeParse(ended).success).toBe(true)
    expect(signedDeactivationSchema.safeParse(request).success).toBe(true)
    for (const member of ['successorPublicKeyB64u', 'successorSignatureB64u'] as const) {
      const { error } = signedDeactivationSchema.safeParse({ ...request, [member]: undefined })
      expect(error?.issues).toEqual([
        expect.objectContaining({ path: ['successorSignatureB64u'], message: 'key and signature go together' }),
      ])
    }
  })

  it.each<[string, object]>([
    ['an epoch below 0', { ...ended, statement: { ...statement, epoch: -1 } }],
    ['half an epoch', { ...ended, statement: { ...statement, epoch: 0.5 } }],
    ['another type', { ...ended, statement: { ...statement, type: 'svc/did-deactivate/v2' } }],
    ['a member more', { ...ended, reason: 'none' }],
  ])('refuses %s', (_, signed) => {
    expect(signedDeactivationSchema.safeParse(signed).success).toBe(false)
  })

  it('accepts every later epoch', () => {
    const later = { ...ended, statement: { ...statement, epoch: 3 } }
    expect(signedDeactivationSchema.safeParse(later).success).toBe(true)
  })

  it('answers with the time it took effect, or what it waits for', () => {
    const waiting = { did, status: 'pending', deactivatedAt: null, rotationId: record.rotationId, deadline: 1 }
    const done = { did, status: 'deactivated', deactivatedAt: 1, rotationId: null, deadline: null }
    for (const answer of [waiting, done]) {
      expect(deactivatedSchema.parse(answer)).toEqual(answer)
      for (const member of Object.keys(answer)) {
        expect(deactivatedSchema.safeParse({ ...answer, [member]: undefined }).success).toBe(false)
      }
    }
    expect(deactivatedSchema.safeParse({ ...done, status: 'active' }).success).toBe(false)
  })
})

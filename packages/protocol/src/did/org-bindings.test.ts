import { describe, expect, it } from 'vitest'
import { REALM } from '../../test/realm.fixture.ts'
import type { KnownInception } from '../base/inception-head.ts'
import {
  EMPTY_ORG_HEAD,
  judgeBinding,
  type Member,
  NO_ORG_EVENT,
  type OrgBinding,
  type OrgState,
  orgBindingSchema,
  orgEventHash,
  orgEventSchema,
  statusOf,
} from './org-bindings.ts'
import { subjectHashOf } from './subject-hash.ts'

const ORG = `did:svc:${'A'.repeat(32)}`
const ANN = `did:svc:${'B'.repeat(32)}`
const SCOPE = '0a'.repeat(48)
const SUBJECT = '0b'.repeat(48)
const KEY = 'A'.repeat(2603)
const SIGNATURE = 'A'.repeat(4412)
const terms = {
  provider: 'login.example.com',
  subjectHash: SUBJECT,
  role: 'member' as const,
  permissions: [],
  expiresAt: null,
}

const statementOf = (members: Partial<OrgBinding> = {}): OrgBinding => ({
  type: 'svc/org-binding/v1',
  realm: REALM,
  orgDid: ORG,
  orgScope: SCOPE,
  rootEpoch: 0,
  sequence: 1,
  previousHash: NO_ORG_EVENT,
  memberDid: ANN,
  event: 'bind',
  inception: null,
  issuedAt: 1000,
  ...members,
})
const state: OrgState = {
  orgDid: ORG,
  orgScope: SCOPE,
  epoch: 0,
  head: EMPTY_ORG_HEAD,
  inception: null,
  member: null,
  holder: null,
}
const headAt = (sequence: number) => ({ sequence, hash: SUBJECT })
const acceptanceAt = (issuedAt: number, inception: KnownInception = null) => ({
  statement: {
    type: 'svc/org-acceptance/v1' as const,
    realm: REALM,
    orgDid: ORG,
    orgScope: SCOPE,
    memberDid: ANN,
    provider: terms.provider,
    subjectHash: SUBJECT,
    inception,
    issuedAt,
  },
  signatureB64u: SIGNATURE,
  publicKeyB64u: KEY,
})
const member: Member = {
  memberDid: ANN,
  ...terms,
  suspension: null,
  isRevoked: false,
  isAccepted: true,
  acceptedAt: 500,
  acceptedInception: null,
  latest: { sequence: 1, hash: SUBJECT, event: 'bind' },
}

describe('a binding statement', () => {
  it.each([
    ['bind', terms],
    ['update', terms],
    ['suspend', { suspendedFrom: null, suspendedUntil: null }],
    ['suspend', { suspendedFrom: 5, suspendedUntil: 6 }],
    ['resume', {}],
    ['revoke', {}],
  ] as const)('%s accepts %j', (event, members) => {
    expect(orgBindingSchema.safeParse(statementOf({ event, ...members })).success).toBe(true)
  })

  it.each([
    ['bind', { ...terms, role: undefined }],
    ['bind', { ...terms, suspendedFrom: null }],
    ['bind', { ...terms, permissions: ['content:sign', 'content:sign'] }],
    ['bind', { ...terms, provider: 'Login.example' }],
    ['bind', { ...terms, provider: '' }],
    ['bind', { ...terms, subjectHash: 'ann@example.com' }],
    ['bind', { ...terms, expiresAt: -1 }],
    ['bind', { ...terms, subject: 'ann@example.com' }],
    ['suspend', {}],
    ['suspend', { suspendedFrom: 5, suspendedUntil: 5 }],
    ['suspend', { suspendedFrom: null, suspendedUntil: 0 }],
    ['revoke', terms],
    ['resume', { expiresAt: null }],
    ['promote', {}],
  ])('%s rejects %j', (event, members) => {
    const statement = JSON.parse(JSON.stringify(statementOf({ event, ...members } as never))) as unknown
    expect(orgBindingSchema.safeParse(statement).success).toBe(false)
  })

  it('allows an acceptance only with terms', () => {
    const signed = { signatureB64u: SIGNATURE, acceptance: acceptanceAt(1) }
    expect(orgEventSchema.safeParse({ statement: statementOf(terms), ...signed }).success).toBe(true)
    expect(orgEventSchema.safeParse({ statement: statementOf({ event: 'revoke' }), ...signed }).success).toBe(false)
  })
})

describe('an acceptance', () => {
  const judge = (before: Member | null, event: 'bind' | 'update', issuedAt: number | null) =>
    judgeBinding(
      { ...state, member: before },
      {
        statement: statementOf({ ...terms, event }),
        signatureB64u: SIGNATURE,
        ...(issuedAt === null ? {} : { acceptance: acceptanceAt(issuedAt) }),
      },
      SUBJECT,
    )

  it('activates a binding that is otherwise pending', () => {
    expect(judge(null, 'bind', null)).toMatchObject({ ok: true, value: { isAccepted: false, acceptedAt: null } })
    expect(judge(null, 'bind', 7)).toMatchObject({ ok: true, value: { isAccepted: true, acceptedAt: 7 } })
  })

  it('counts once: after a revocation, only a later one counts', () => {
    const revoked = { ...member, isRevoked: true }
    for (const issuedAt of [499, 500]) {
      expect(judge(revoked, 'bind', issuedAt)).toMatchObject({ ok: false, error: { reason: 'acceptance_mismatch' } })
    }
    expect(judge(revoked, 'bind', 501)).toMatchObject({ ok: true, value: { isAccepted: true, acceptedAt: 501 } })
    expect(judge(revoked, 'bind', null)).toMatchObject({ ok: true, value: { isAccepted: false, acceptedAt: 500 } })
    expect(judge(member, 'update', null)).toMatchObject({ ok: true, value: { isAccepted: true } })
  })
})

describe('the events of the inception log that are named', () => {
  const binding = (inception: KnownInception, accepted?: KnownInception) => ({
    statement: statementOf({ ...terms, inception }),
    signatureB64u: SIGNATURE,
    ...(accepted === undefined ? {} : { acceptance: acceptanceAt(700, accepted) }),
  })

  it('never go back along the events of an organization', () => {
    const before = { ...state, inception: headAt(3) }
    for (const inception of [headAt(2), null]) {
      expect(judgeBinding(before, binding(inception), SUBJECT)).toEqual({
        ok: false,
        error: { reason: 'older_head', of: 'event' },
      })
    }
    for (const inception of [headAt(3), headAt(4)]) {
      expect(judgeBinding(before, binding(inception), SUBJECT).ok).toBe(true)
    }
  })

  it('never go back along the acceptances of a member', () => {
    const before = { ...state, member: { ...member, isRevoked: true, acceptedInception: headAt(3) } }
    for (const accepted of [headAt(2), null]) {
      expect(judgeBinding(before, binding(null, accepted), SUBJECT)).toEqual({
        ok: false,
        error: { reason: 'older_head', of: 'acceptance' },
      })
    }
    expect(judgeBinding(before, binding(null, headAt(3)), SUBJECT)).toMatchObject({
      value: { acceptedInception: headAt(3) },
    })
    expect(judgeBinding(before, binding(null), SUBJECT)).toMatchObject({ value: { acceptedInception: headAt(3) } })
  })
})

describe('the status of a member', () => {
  it.each([
    [{}, 'active'],
    [{ isRevoked: true, isAccepted: false, expiresAt: 1 }, 'revoked'],
    [{ expiresAt: 100, isAccepted: false }, 'expired'],
    [{ expiresAt: 101, isAccepted: false }, 'pending'],
    [{ suspension: { from: 100, until: null } }, 'suspended'],
    [{ suspension: { from: 101, until: null } }, 'active'],
    [{ suspension: { from: 0, until: 100 } }, 'active'],
    [{ suspension: { from: 0, until: 101 } }, 'suspended'],
  ] as const)('with %j at 100 is %s', (members, status) => {
    expect(statusOf({ ...member, ...members }, 100)).toBe(status)
  })
})

describe('the hash of a subject', () => {
  it('covers organization, provider and subject under a key of 32 bytes', () => {
    const about = { orgDid: ORG, provider: 'a', subject: 'ann' }
    const hashes = [
      subjectHashOf('00'.repeat(32), about),
      subjectHashOf('01'.repeat(32), about),
      subjectHashOf('00'.repeat(32), { ...about, orgDid: ANN }),
      subjectHashOf('00'.repeat(32), { ...about, provider: 'b' }),
      subjectHashOf('00'.repeat(32), { ...about, subject: 'Ann' }),
    ]
    expect(new Set(hashes).size).toBe(hashes.length)
    for (const key of ['', '00'.repeat(31), '00'.repeat(33)]) expect(() => subjectHashOf(key, about)).toThrow(TypeError)
  })
})

it('the hash of an event covers its signatures', () => {
  const event = { statement: statementOf(terms), signatureB64u: SIGNATURE }
  const other = { ...event, signatureB64u: `B${SIGNATURE.slice(1)}` }
  expect(orgEventHash(event)).not.toBe(orgEventHash(other))
})

import { describe, expect, it } from 'vitest'
import { encodeBase64url } from '../base/base64url.ts'
import { hashTextHex } from '../base/hash.ts'
import { governanceAttestationSchema } from './attestations.ts'
import {
  auditPageSchema,
  type GovernancePolicy,
  governancePolicySchema,
  type PolicyProposal,
  policyBytes,
  policyFault,
  policyIdOf,
  policyRecordSchema,
  publishPolicySchema,
} from './governance.ts'

/** A well-formed public key of 1,952 equal bytes without a known secret. */
const keyOf = (byte: number) => encodeBase64url(new Uint8Array(1952).fill(byte))
const signer = (byte: number) => ({ id: `signer-${byte}`, publicKeyB64u: keyOf(byte) })
const policy: GovernancePolicy = { version: 'v1', threshold: 2, signers: [signer(1), signer(2), signer(3)] }
const attestation = { alg: 'ml-dsa-65', publicKeyB64u: keyOf(1), signatureB64u: 'AAAA' }

const proposal: PolicyProposal = { policy, previousPolicyId: 'a7'.repeat(48), nonce: 'n_000000000000-1' }

const takesPolicy = (members: object) => governancePolicySchema.safeParse({ ...policy, ...members }).success
const takesSigner = (members: object) => takesPolicy({ signers: [{ ...signer(1), ...members }] })
const takesAttestation = (members: object) =>
  governanceAttestationSchema.safeParse({ ...attestation, ...members }).success

describe('governancePolicySchema', () => {
  it('accepts a policy with and without its optional members', () => {
    expect(governancePolicySchema.parse(policy)).toEqual(policy)
    const full = {
      ...policy,
      signers: [{ ...signer(1), role: 'chair' }],
      meta: { note: 'x', deep: { list: [1, null] } },
    }
    expect(governancePolicySchema.parse(full)).toEqual(full)
  })

  it.each(['version', 'threshold', 'signers'])('requires %s', (member) => {
    expect(takesPolicy({ [member]: undefined })).toBe(false)
  })

  it.each([
    { version: 'v2' },
    { version: 1 },
    { threshold: '2' },
    { threshold: 1.5 },
    { threshold: Number.POSITIVE_INFINITY },
    { threshold: null },
    { signers: [] },
    { signers: {} },
    { signers: [null] },
    { meta: [] },
    { meta: 'free' },
    { meta: null },
    { meta: { '': 1 } },
    { note: 'x' },
  ])('refuses %j', (members) => {
    expect(takesPolicy(members)).toBe(false)
  })

  it('accepts at most sixteen signers', () => {
    const signers = Array.from({ length: 17 }, (_, byte) => signer(byte))
    expect(takesPolicy({ signers: signers.slice(1) })).toBe(true)
    expect(takesPolicy({ signers })).toBe(false)
  })

  it('accepts ids and roles of 1 to 128 characters', () => {
    for (const member of ['id', 'role']) {
      expect(takesSigner({ [member]: 'x' })).toBe(true)
      expect(takesSigner({ [member]: 'x'.repeat(128) })).toBe(true)
      for (const value of ['', 'x'.repeat(129), '\ud800', 7, null]) expect(takesSigner({ [member]: value })).toBe(false)
    }
  })

  it.each(['id', 'publicKeyB64u'])('requires the %s of a signer', (member) => {
    expect(takesSigner({ [member]: undefined })).toBe(false)
  })

  it('rejects other members of a signer', () => {
    expect(takesSigner({ weight: 2 })).toBe(false)
  })

  it.each([
    ['a byte short', encodeBase64url(new Uint8Array(1951))],
    ['a byte long', encodeBase64url(new Uint8Array(1953))],
    ['padded', `${keyOf(1)}=`],
    ['with a stray bit at its end', `${keyOf(0).slice(0, -1)}B`],
    ['of another alphabet', `+${keyOf(1).slice(1)}`],
  ])('refuses a key %s', (_, publicKeyB64u) => {
    expect(takesSigner({ publicKeyB64u })).toBe(false)
  })

  it.each([
    ['a lone surrogate', { a: '\ud800' }],
    ['a lone surrogate deep inside', { a: [{ b: ['\udfff'] }] }],
    ['a lone surrogate in a name deep inside', { a: { '\ud800': 1 } }],
    ['a number without JSON form', { a: Number.NaN }],
    ['an infinite number', { a: [Number.POSITIVE_INFINITY] }],
    ['a value that is not JSON', { a: undefined }],
    ['a value that is not JSON deep inside', { a: [1n] }],
    ['a member that a parser would drop', JSON.parse('{"__proto__":1}')],
    ['a member that a parser would drop deep inside', JSON.parse('{"a":[{"__proto__":1}]}')],
    ['a depth of thirty-three', JSON.parse(`{"a":${'['.repeat(32)}${']'.repeat(32)}}`)],
    ['a depth of thirty thousand', JSON.parse(`{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`)],
  ])('refuses %s in meta, which cannot be signed', (_, meta) => {
    expect(takesPolicy({ meta })).toBe(false)
  })

  it('accepts any JSON as meta, up to 32 levels deep', () => {
    const meta = {
      '😀': ['é', 1e21, -0, false, null, {}],
      a: JSON.parse(`${'['.repeat(31)}${']'.repeat(31)}`) as unknown,
    }
    expect(takesPolicy({ meta })).toBe(true)
  })
})

describe('governanceAttestationSchema', () => {
  it('accepts all documented members', () => {
    expect(takesAttestation({})).toBe(true)
    expect(takesAttestation({ signedAt: '2026-10-23T10:00:00Z' })).toBe(true)
  })

  it.each(['alg', 'publicKeyB64u', 'signatureB64u'])('requires %s', (member) => {
    expect(takesAttestation({ [member]: undefined })).toBe(false)
  })

  it.each([
    ['publicKeyB64u', 4096],
    ['signatureB64u', 8192],
  ])('accepts a %s of 1 to %i characters', (member, max) => {
    expect(takesAttestation({ [member]: 'A' })).toBe(true)
    expect(takesAttestation({ [member]: '-_09azAZ'.repeat(max / 8) })).toBe(true)
    expect(takesAttestation({ [member]: '' })).toBe(false)
    expect(takesAttestation({ [member]: 'A'.repeat(max + 1) })).toBe(false)
    for (const text of ['A=', 'A+', 'A/', 'A A', 'A\n', 'é', 'A.'])
      expect(takesAttestation({ [member]: text })).toBe(false)
  })

  it('accepts a signedAt of at most 64 characters', () => {
    expect(takesAttestation({ signedAt: `2026-10-23T10:00:00.${'1'.repeat(43)}Z` })).toBe(true)
    expect(takesAttestation({ signedAt: `2026-10-23T10:00:00.${'1'.repeat(44)}Z` })).toBe(false)
    expect(takesAttestation({ signedAt: '2026-10-23T10:00:00+02:00' })).toBe(true)
  })

  it.each([
    { alg: 'ml-dsa-87' },
    { alg: 'ML-DSA-65' },
    { publicKeyB64u: 7 },
    { signatureB64u: null },
    { signedAt: '' },
    { signedAt: '2026-10-23' },
    { signedAt: '2026-10-23T10:00Z' },
    { signedAt: '2026-10-23T10:00:00' },
    { signedAt: '2026-02-30T10:00:00Z' },
    { signedAt: '2026-10-23T24:00:00Z' },
    { signedAt: '2026-10-23T10:00:00+0200' },
    { signedAt: 1_790_000_000_000 },
    { role: 'chair' },
  ])('refuses %j', (members) => {
    expect(takesAttestation(members)).toBe(false)
  })
})

describe('publishPolicySchema', () => {
  const body = { ...proposal, attestations: [attestation] }
  const takes = (members: object) => publishPolicySchema.safeParse({ ...body, ...members }).success

  it('accepts one to sixteen attestations', () => {
    expect(takes({})).toBe(true)
    const attestations = Array.from({ length: 17 }, () => attestation)
    expect(takes({ attestations: attestations.slice(1) })).toBe(true)
    expect(takes({ attestations })).toBe(false)
    expect(takes({ attestations: [] })).toBe(false)
  })

  it.each(['policy', 'previousPolicyId', 'nonce', 'attestations'])('requires %s', (member) => {
    expect(takes({ [member]: undefined })).toBe(false)
    expect(takes({ [member]: null })).toBe(false)
  })

  it('rejects other members', () => {
    expect(takes({ activatedBy: 'me' })).toBe(false)
    expect(takes({ nonce: 'short' })).toBe(false)
    expect(takes({ previousPolicyId: 'a' })).toBe(false)
  })
})

describe('records of governance', () => {
  const record = { policyId: 'a', policy, nonce: 'n', attestations: [attestation], activatedAt: 'b', activatedBy: 'c' }
  const entry = { position: 1, at: 'a', action: 'policy.activated', actor: 'b', policyId: 'c', signers: ['d'] }

  it('have exactly the documented members', () => {
    const takes = (members: object) => policyRecordSchema.safeParse({ ...record, ...members }).success
    expect(takes({})).toBe(true)
    expect(takes({ previousPolicyId: 'd' })).toBe(true)
    for (const member of Object.keys(record)) expect(takes({ [member]: undefined })).toBe(false)
    expect(takes({ previousPolicyId: null })).toBe(false)
    expect(takes({ activatedAt: 1 })).toBe(false)
    expect(takes({ position: 1 })).toBe(false)
  })

  it('are listed in audit pages', () => {
    const takes = (page: object) =>
      auditPageSchema.safeParse({ items: [entry], count: 1, cursor: null, ...page }).success
    expect(takes({})).toBe(true)
    expect(takes({ cursor: '2', items: [{ ...entry, previousPolicyId: 'e' }] })).toBe(true)
    expect(takes({ cursor: 2 })).toBe(false)
    expect(takes({ items: [{ ...entry, position: 0 }] })).toBe(false)
    expect(takes({ items: [{ ...entry, action: 'policy.deleted' }] })).toBe(false)
    expect(takes({ items: [{ ...entry, note: 'x' }] })).toBe(false)
  })
})

describe('policyFault', () => {
  const faultOf = (members: Partial<GovernancePolicy>) => policyFault({ ...policy, ...members })?.reason ?? null

  it.each([1, 2, 3])('accepts a threshold of %i of three', (threshold) => {
    expect(faultOf({ threshold })).toBeNull()
  })

  it.each([0, -1, 4, Number.MAX_SAFE_INTEGER])('rejects a threshold of %i', (threshold) => {
    expect(faultOf({ threshold })).toBe('threshold_out_of_range')
  })

  it('rejects a duplicate id, even with another key', () => {
    expect(faultOf({ signers: [signer(1), signer(1)] })).toBe('duplicate_signer')
    expect(faultOf({ signers: [signer(1), { ...signer(2), id: 'signer-1' }] })).toBe('duplicate_signer')
  })

  it('rejects a duplicate key, even with another id and role', () => {
    expect(faultOf({ signers: [signer(1), { ...signer(1), id: 'other', role: 'chair' }] })).toBe('duplicate_signer')
  })
})

describe('policyIdOf', () => {
  it('is SHA3-384 over canonical JSON, independent of member order', () => {
    const [first] = policy.signers
    const small: GovernancePolicy = { signers: [first!], threshold: 1, version: 'v1' }
    const written = `{"signers":[{"id":"signer-1","publicKeyB64u":"${keyOf(1)}"}],"threshold":1,"version":"v1"}`
    const { previousPolicyId, nonce } = proposal
    const rest = `"policy":${written},"previousPolicyId":"${previousPolicyId}"`
    expect(policyIdOf({ ...proposal, policy: small })).toBe(
      hashTextHex(`{"nonce":"${nonce}",${rest},"type":"svc/policy-id/v1"}`),
    )
    const bytes = policyBytes({ ...proposal, policy: small }, 'https://core.test')(7)
    expect(new TextDecoder().decode(bytes)).toBe(
      `{"issuedAt":7,"nonce":"${nonce}",${rest},"realm":"https://core.test","type":"svc/governance-policy/v1"}`,
    )
  })

  it.each<Partial<GovernancePolicy>>([
    { threshold: 3 },
    { signers: [signer(1), signer(2)] },
    { signers: [signer(2), signer(1), signer(3)] },
    { signers: [{ ...signer(1), role: 'chair' }, signer(2), signer(3)] },
    { meta: {} },
    { meta: { note: 'x' } },
  ])('differs with change %#', (members) => {
    expect(policyIdOf({ ...proposal, policy: { ...policy, ...members } })).not.toBe(policyIdOf(proposal))
  })

  it('differs by predecessor and nonce: the same rules that come back are another policy', () => {
    for (const members of [
      { previousPolicyId: null },
      { previousPolicyId: 'a8'.repeat(48) },
      { nonce: 'n'.repeat(16) },
    ])
      expect(policyIdOf({ ...proposal, ...members })).not.toBe(policyIdOf(proposal))
  })
})

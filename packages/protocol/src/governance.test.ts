import { describe, expect, it } from 'vitest'
import { encodeBase64url } from './base64url.ts'
import {
  auditPageSchema,
  type GovernancePolicy,
  governanceAttestationSchema,
  governancePolicySchema,
  policyBytes,
  policyFault,
  policyIdOf,
  policyRecordSchema,
  publishPolicySchema,
} from './governance.ts'
import { hashTextHex } from './hash.ts'

/** A well-formed public key of 1,952 equal bytes; nobody has its secret. */
const keyOf = (byte: number) => encodeBase64url(new Uint8Array(1952).fill(byte))
const signer = (byte: number) => ({ id: `signer-${byte}`, publicKeyB64u: keyOf(byte) })
const policy: GovernancePolicy = { version: 'v1', threshold: 2, signers: [signer(1), signer(2), signer(3)] }
const attestation = { alg: 'ml-dsa-65', publicKeyB64u: keyOf(1), signatureB64u: 'AAAA' }

const takesPolicy = (members: object) => governancePolicySchema.safeParse({ ...policy, ...members }).success
const takesSigner = (members: object) => takesPolicy({ signers: [{ ...signer(1), ...members }] })
const takesAttestation = (members: object) =>
  governanceAttestationSchema.safeParse({ ...attestation, ...members }).success

describe('governancePolicySchema', () => {
  it('takes a policy with and without its optional members', () => {
    expect(governancePolicySchema.parse(policy)).toEqual(policy)
    const full = {
      ...policy,
      signers: [{ ...signer(1), role: 'chair' }],
      meta: { note: 'x', deep: { list: [1, null] } },
    }
    expect(governancePolicySchema.parse(full)).toEqual(full)
  })

  it.each(['version', 'threshold', 'signers'])('demands %s', (member) => {
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

  it('takes at most sixteen signers', () => {
    const signers = Array.from({ length: 17 }, (_, byte) => signer(byte))
    expect(takesPolicy({ signers: signers.slice(1) })).toBe(true)
    expect(takesPolicy({ signers })).toBe(false)
  })

  it('takes ids and roles of 1 to 128 characters', () => {
    for (const member of ['id', 'role']) {
      expect(takesSigner({ [member]: 'x' })).toBe(true)
      expect(takesSigner({ [member]: 'x'.repeat(128) })).toBe(true)
      for (const value of ['', 'x'.repeat(129), '\ud800', 7, null]) expect(takesSigner({ [member]: value })).toBe(false)
    }
  })

  it.each(['id', 'publicKeyB64u'])('demands the %s of a signer', (member) => {
    expect(takesSigner({ [member]: undefined })).toBe(false)
  })

  it('takes no other member of a signer', () => {
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
    ['what is no JSON', { a: undefined }],
    ['what is no JSON deep inside', { a: [1n] }],
    ['a member that a parser would drop', JSON.parse('{"__proto__":1}')],
    ['a member that a parser would drop deep inside', JSON.parse('{"a":[{"__proto__":1}]}')],
    ['a depth of thirty-three', JSON.parse(`{"a":${'['.repeat(32)}${']'.repeat(32)}}`)],
    ['a depth of thirty thousand', JSON.parse(`{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`)],
  ])('refuses %s in meta, which nobody could sign', (_, meta) => {
    expect(takesPolicy({ meta })).toBe(false)
  })

  it('takes meta of any JSON, thirty-two levels deep', () => {
    const meta = {
      '😀': ['é', 1e21, -0, false, null, {}],
      a: JSON.parse(`${'['.repeat(31)}${']'.repeat(31)}`) as unknown,
    }
    expect(takesPolicy({ meta })).toBe(true)
  })
})

describe('governanceAttestationSchema', () => {
  it('takes what document 1 section 2.7 lists', () => {
    expect(takesAttestation({})).toBe(true)
    expect(takesAttestation({ signedAt: '2026-10-23T10:00:00Z' })).toBe(true)
  })

  it.each(['alg', 'publicKeyB64u', 'signatureB64u'])('demands %s', (member) => {
    expect(takesAttestation({ [member]: undefined })).toBe(false)
  })

  it.each([
    ['publicKeyB64u', 4096],
    ['signatureB64u', 8192],
  ])('takes a %s of 1 to %i characters', (member, max) => {
    expect(takesAttestation({ [member]: 'A' })).toBe(true)
    expect(takesAttestation({ [member]: '-_09azAZ'.repeat(max / 8) })).toBe(true)
    expect(takesAttestation({ [member]: '' })).toBe(false)
    expect(takesAttestation({ [member]: 'A'.repeat(max + 1) })).toBe(false)
    for (const text of ['A=', 'A+', 'A/', 'A A', 'A\n', 'é', 'A.'])
      expect(takesAttestation({ [member]: text })).toBe(false)
  })

  it('takes a signedAt of at most 64 characters', () => {
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
  const takes = (body: unknown) => publishPolicySchema.safeParse(body).success

  it('takes one to sixteen attestations and no other member', () => {
    expect(takes({ policy, attestations: [attestation] })).toBe(true)
    const attestations = Array.from({ length: 17 }, () => attestation)
    expect(takes({ policy, attestations: attestations.slice(1) })).toBe(true)
    expect(takes({ policy, attestations })).toBe(false)
    expect(takes({ policy, attestations: [] })).toBe(false)
    expect(takes({ policy })).toBe(false)
    expect(takes({ attestations: [attestation] })).toBe(false)
    expect(takes({ policy, attestations: [attestation], activatedBy: 'me' })).toBe(false)
  })
})

describe('records of governance', () => {
  const record = { policyId: 'a', policy, attestations: [attestation], activatedAt: 'b', activatedBy: 'c' }
  const entry = { position: 1, at: 'a', action: 'policy.activated', actor: 'b', policyId: 'c', signers: ['d'] }

  it('have the members of document 1 section 2.7 and no other', () => {
    const takes = (members: object) => policyRecordSchema.safeParse({ ...record, ...members }).success
    expect(takes({})).toBe(true)
    expect(takes({ previousPolicyId: 'd' })).toBe(true)
    for (const member of Object.keys(record)) expect(takes({ [member]: undefined })).toBe(false)
    expect(takes({ previousPolicyId: null })).toBe(false)
    expect(takes({ activatedAt: 1 })).toBe(false)
    expect(takes({ position: 1 })).toBe(false)
  })

  it('are audited in pages', () => {
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

  it.each([1, 2, 3])('finds none at a threshold of %i of three', (threshold) => {
    expect(faultOf({ threshold })).toBeNull()
  })

  it.each([0, -1, 4, Number.MAX_SAFE_INTEGER])('finds a threshold of %i out of range', (threshold) => {
    expect(faultOf({ threshold })).toBe('threshold_out_of_range')
  })

  it('finds an id that occurs twice, under another key too', () => {
    expect(faultOf({ signers: [signer(1), signer(1)] })).toBe('duplicate_signer')
    expect(faultOf({ signers: [signer(1), { ...signer(2), id: 'signer-1' }] })).toBe('duplicate_signer')
  })

  it('finds a key that occurs twice, under another id and role too', () => {
    expect(faultOf({ signers: [signer(1), { ...signer(1), id: 'other', role: 'chair' }] })).toBe('duplicate_signer')
  })
})

describe('policyIdOf', () => {
  it('is SHA3-384 over canonical JSON, whatever the order of members', () => {
    const [first] = policy.signers
    const small: GovernancePolicy = { signers: [first!], threshold: 1, version: 'v1' }
    const canonical = `{"signers":[{"id":"signer-1","publicKeyB64u":"${keyOf(1)}"}],"threshold":1,"version":"v1"}`
    expect(policyIdOf(small)).toBe(hashTextHex(canonical))
    expect(new TextDecoder().decode(policyBytes(small))).toBe(canonical)
    expect(policyIdOf({ version: 'v1', threshold: 1, signers: [{ publicKeyB64u: keyOf(1), id: 'signer-1' }] })).toBe(
      hashTextHex(canonical),
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
    expect(policyIdOf({ ...policy, ...members })).not.toBe(policyIdOf(policy))
  })
})

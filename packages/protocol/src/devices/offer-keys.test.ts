import { describe, expect, it } from 'vitest'
import { encodeBase64url } from '../base/base64url.ts'
import { toHex } from '../base/hash.ts'
import { OfferKeys, offerTokenSchema } from './offer-keys.ts'

const text = (length: number, step: number) => encodeBase64url(Uint8Array.from({ length }, (_, i) => (i * step) & 255))
const CODE = '7Q3K-9ZXN-0V4T'
const origin = { realm: 'https://core.example', did: `did:svc:${'PDw8'.repeat(8)}`, rootPublicKeyB64u: text(1952, 7) }
const statement = {
  type: 'svc/device-acceptance/v1' as const,
  realm: origin.realm,
  did: origin.did,
  deviceId: 'Aaaa'.repeat(8),
  devicePublicKeyB64u: text(1952, 11),
  kemPublicKeyB64u: text(1184, 13),
  x25519B64u: text(32, 19),
  origin: 'app:test',
  capabilities: ['chain:read' as const],
  inception: null,
  issuedAt: 1_790_000_000_000,
}
const joining = {
  code: CODE,
  rootPublicKeyB64u: origin.rootPublicKeyB64u,
  acceptance: { statement, signatureB64u: text(3309, 17) },
}
const keys = new OfferKeys('0123456789ABCDEFGHJKMNPQRS')
const others = new OfferKeys('0123456789ABCDEFGHJKMNPQRT')
const withStatement = (changes: Partial<typeof statement>) => ({
  ...joining,
  acceptance: { ...joining.acceptance, statement: { ...statement, ...changes } },
})

describe('what both devices derive from the secret', () => {
  it('is a token of 256 bits, as another implementation computes', () => {
    expect(keys.token).toBe('cuBr8rYTszEd9gQKvJyWB2mnWFhh1WPWyz6HGp7-ogc')
    expect(keys.tokenHash).toMatch(/^f1545ef6.{80}ab4090fe$/)
    expect(others.token).not.toBe(keys.token)
    expect(offerTokenSchema.safeParse(keys.token).success).toBe(true)
    for (const other of [text(31, 1), text(33, 1), `${text(32, 1)}=`, '+'.repeat(43), '', 'A'.repeat(42)])
      expect(offerTokenSchema.safeParse(other).success, other).toBe(false)
  })

  it('is a key to seal with, as another implementation computes', () => {
    expect(toHex(keys.sealKey)).toBe('abc20a40046d3b54677170e3301191f741d5e117c3828fe02e58d2ab86b687e8')
    expect(keys.sealKey).not.toEqual(others.sealKey)
    keys.sealKey.fill(0)
    expect(toHex(keys.sealKey)).toBe('abc20a40046d3b54677170e3301191f741d5e117c3828fe02e58d2ab86b687e8')
  })

  it('shows nothing of the key when it is printed', () => {
    expect(JSON.stringify(keys)).toBe(JSON.stringify({ token: keys.token }))
  })
})

describe('the proof of who offers', () => {
  const proof = keys.offerProof(origin)

  it('is the HMAC that another implementation computes', () => {
    expect(proof).toBe('sPpO0F1CEOPwniT4aV73LtQrc0M31a_oFB5fXSyWyAJszsDR7gYAy3rubInYfTyH')
    expect(keys.isOfferProof(proof, origin)).toBe(true)
  })

  it.each([
    ['realm', { realm: 'https://other.example' }],
    ['identity', { did: `did:svc:${'Aaaa'.repeat(8)}` }],
    ['root key', { rootPublicKeyB64u: text(1952, 9) }],
  ])('is not one for another %s', (_, changed) => {
    expect(keys.isOfferProof(proof, { ...origin, ...changed })).toBe(false)
  })

  it('is not one under another secret, nor changed, cut or empty', () => {
    expect(others.isOfferProof(proof, origin)).toBe(false)
    for (const other of [`t${proof.slice(1)}`, proof.slice(0, 60), ''])
      expect(keys.isOfferProof(other, origin)).toBe(false)
  })
})

describe('the proof of who joined', () => {
  const proof = keys.joinProof(joining)

  it('is the HMAC that another implementation computes', () => {
    expect(proof).toBe('6a2GfHK7xrKMjI01g39pC7jLBNYJXehZ9oZMEpNwsQvcOQJ9yC1usJjOPa86L1IK')
    expect(keys.isJoinProof(proof, joining)).toBe(true)
    expect(others.isJoinProof(proof, joining)).toBe(false)
  })

  it.each([
    ['realm', { realm: 'https://other.example' }],
    ['identity', { did: `did:svc:${'Aaaa'.repeat(8)}` }],
    ['device', { deviceId: 'Bbbb'.repeat(8) }],
    ['device key', { devicePublicKeyB64u: text(1952, 9) }],
    ['KEM key', { kemPublicKeyB64u: text(1184, 9) }],
    ['origin', { origin: 'app:other' }],
    ['capability', { capabilities: [] }],
    ['time', { issuedAt: 1_790_000_000_001 }],
  ])('is not one for another %s', (_, changed) => {
    expect(keys.isJoinProof(proof, withStatement(changed))).toBe(false)
  })

  it('is not one for another signature, offer or root key, nor that of who offers', () => {
    const { acceptance } = joining
    const signatureB64u = text(3309, 19)
    expect(keys.isJoinProof(proof, { ...joining, acceptance: { ...acceptance, signatureB64u } })).toBe(false)
    expect(keys.isJoinProof(proof, { ...joining, code: '0000-0000-0000' })).toBe(false)
    expect(keys.isJoinProof(proof, { ...joining, rootPublicKeyB64u: text(1952, 9) })).toBe(false)
    expect(keys.isJoinProof(keys.offerProof(origin), joining)).toBe(false)
  })
})

describe('the confirmation code', () => {
  const shown = keys.confirmationCode(joining)

  it('is the first 60 bits of an HMAC, as another implementation computes', () => {
    expect(shown).toBe('WMWM-CR8P-W1Q3')
  })

  it.each([
    ['device key', { devicePublicKeyB64u: text(1952, 9) }],
    ['KEM key', { kemPublicKeyB64u: text(1184, 9) }],
    ['origin', { origin: 'app:other' }],
    ['capability', { capabilities: [] }],
  ])('differs for another %s', (_, changed) => {
    expect(keys.confirmationCode(withStatement(changed))).not.toBe(shown)
  })

  it('differs under another secret, root key and offer', () => {
    const codes = [
      others.confirmationCode(joining),
      keys.confirmationCode({ ...joining, rootPublicKeyB64u: text(1952, 9) }),
      keys.confirmationCode({ ...joining, code: '0000-0000-0000' }),
    ]
    expect(new Set([shown, ...codes]).size).toBe(4)
  })

  it('is the same when a device asks again, at another time', () => {
    const again = withStatement({ issuedAt: 1_790_000_009_000 })
    const signatureB64u = text(3309, 19)
    expect(keys.confirmationCode({ ...again, acceptance: { ...again.acceptance, signatureB64u } })).toBe(shown)
  })
})

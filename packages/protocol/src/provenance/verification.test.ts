import { hashMlDsa65, mlDsa65 } from '@svc/pqc'
import { sha3_384 } from '@svc/pqc/sha3'
import { describe, expect, it } from 'vitest'
import { encodeBase64url } from '../base/base64url.ts'
import { hasUnsupportedHash, verifyRequestSchema, verifySignature } from './verification.ts'

const seed = new Uint8Array(32).fill(5)
const message = new TextEncoder().encode('a message')
const publicKeyB64u = encodeBase64url(await mlDsa65.publicKeyOf(seed))
const otherKey = encodeBase64url(await mlDsa65.publicKeyOf(new Uint8Array(32).fill(6)))

const pure = {
  alg: 'ml-dsa-65',
  messageB64u: encodeBase64url(message),
  signatureB64u: encodeBase64url(await mlDsa65.sign(seed, message)),
  publicKeyB64u,
}
const prehash = {
  alg: 'ml-dsa-65',
  hashAlg: 'sha3-384',
  hashB64u: encodeBase64url(sha3_384(message)),
  signatureB64u: encodeBase64url(await hashMlDsa65.sign(seed, sha3_384(message))),
  publicKeyB64u,
}
const without = (request: object, member: string) =>
  Object.fromEntries(Object.entries(request).filter(([name]) => name !== member))
const accepts = (request: object) => verifyRequestSchema.safeParse(request).success
const verdict = (request: object) => verifySignature(verifyRequestSchema.parse(request))

describe('verifySignature', () => {
  it('accepts a signature over the message or over its digest', async () => {
    expect(await verdict(pure)).toBe(true)
    expect(await verdict(prehash)).toBe(true)
  })

  it('treats an omitted hashAlg as sha3-384', async () => {
    expect(await verdict(without(prehash, 'hashAlg'))).toBe(true)
  })

  it('does not accept a signature of one form for the other', async () => {
    expect(await verdict({ ...pure, signatureB64u: prehash.signatureB64u })).toBe(false)
    expect(await verdict({ ...prehash, signatureB64u: pure.signatureB64u })).toBe(false)
    const overDigest = encodeBase64url(await mlDsa65.sign(seed, sha3_384(message)))
    expect(await verdict({ ...prehash, signatureB64u: overDigest })).toBe(false)
  })

  it.each([undefined, null, '', 'ML-DSA-65', 'ml-dsa-44', 'ml-dsa-87', 'ed25519', 65, ['ml-dsa-65']])(
    'returns false for alg %j, which is not a schema violation',
    async (alg) => {
      expect(accepts({ ...pure, alg })).toBe(true)
      expect(await verdict({ ...pure, alg })).toBe(false)
      expect(await verdict({ ...prehash, alg })).toBe(false)
    },
  )

  it('returns false for an omitted alg', async () => {
    expect(await verdict(without(pure, 'alg'))).toBe(false)
  })

  it.each<[string, object]>([
    ['another key', { ...pure, publicKeyB64u: otherKey }],
    ['another message', { ...pure, messageB64u: encodeBase64url(message.subarray(1)) }],
    ['an empty message', { ...pure, messageB64u: '' }],
    ['another digest', { ...prehash, hashB64u: encodeBase64url(sha3_384(message).with(0, 0)) }],
    ['a key of another length', { ...pure, publicKeyB64u: encodeBase64url(new Uint8Array(1312)) }],
    ['an empty key', { ...pure, publicKeyB64u: '' }],
    ['a signature of another length', { ...pure, signatureB64u: encodeBase64url(new Uint8Array(3308)) }],
    ['an empty signature', { ...pure, signatureB64u: '' }],
    ['a digest of 32 bytes', { ...prehash, hashB64u: encodeBase64url(new Uint8Array(32)) }],
    ['an empty digest', { ...prehash, hashB64u: '' }],
  ])('returns false for %s', async (_, request) => {
    expect(await verdict(request)).toBe(false)
  })
})

describe('verifyRequestSchema', () => {
  it('refuses both and neither of message and hash', () => {
    expect(accepts({ ...pure, hashB64u: prehash.hashB64u })).toBe(false)
    expect(accepts(without(pure, 'messageB64u'))).toBe(false)
  })

  it.each(['signatureB64u', 'publicKeyB64u'])('requires %s', (member) => {
    expect(accepts(without(pure, member))).toBe(false)
    expect(accepts(without(prehash, member))).toBe(false)
  })

  it.each(['messageB64u', 'signatureB64u', 'publicKeyB64u'])('refuses %s that is not base64url', (member) => {
    for (const value of ['Zg==', 'Z', 'Zh', '+_-_', ' ', null, 5])
      expect(accepts({ ...pure, [member]: value })).toBe(false)
  })

  it('refuses a hashB64u that is not base64url', () => {
    expect(accepts({ ...prehash, hashB64u: `${prehash.hashB64u}=` })).toBe(false)
  })
})

describe('hasUnsupportedHash', () => {
  const unsupported = (members: object) => hasUnsupportedHash({ ...prehash, ...members })

  it('is true for every hashAlg except sha3-384 and none', () => {
    expect(unsupported({})).toBe(false)
    expect(unsupported({ hashAlg: undefined })).toBe(false)
    for (const hashAlg of ['sha-384', 'SHA3-384', 'sha3-256', '', null, 384])
      expect(unsupported({ hashAlg })).toBe(true)
  })

  it('ignores hashAlg for a message', () => {
    expect(hasUnsupportedHash({ ...pure, hashAlg: 'sha-256' })).toBe(false)
  })
})
